from typing import Protocol


class Speaks(Protocol):
    def speak(self): ...


class Bird:
    def speak(self):
        return "tweet"


def listen(thing):
    return thing.speak()


listen(Bird())
