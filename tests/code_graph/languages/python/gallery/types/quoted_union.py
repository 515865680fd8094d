from typing import Union


class Cat:
    def feed(self):
        return 1


Animal = Union[Cat, "Dog"]


class Dog:
    def feed(self):
        return 2


def feed(animal: Animal):
    return animal.feed()


feed(Cat())
feed(Dog())
