def ring():
    return "ring"


class Bell:
    def __init__(self, sound):
        self.sound = sound

    def strike(self):
        return self.sound()


Bell(ring).strike()
