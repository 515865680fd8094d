class Door:
    def open(self):
        return self.creak()

    def creak(self):
        return "eek"


def use(action):
    return action()


door = Door()
use(door.open)
