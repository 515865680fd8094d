class Player:
    def __init__(self):
        self.action = self.play

    def play(self):
        return 1

    def press(self):
        return self.action()


Player().press()
