class Dog:
    def speak(self):
        return "w"


class Cat:
    def speak(self):
        return "m"


def make():
    return [Dog(), Cat()]


def chorus():
    for animal in make():
        animal.speak()


def solo():
    animals = {"cat": Cat()}
    return animals["cat"].speak()


chorus()
solo()
