def shout(text):
    return text.upper()


class Speaker:
    @property
    def voice(self):
        return shout

    def speak(self):
        return self.voice("a")


Speaker().speak()
