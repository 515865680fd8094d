from typing import Union


class Cat:
    def feed(self):
        return 1


class Dog:
    def feed(self):
        return 2


Animal = Union[Cat, Dog]


def feed(animal: Animal):
    return animal.feed()


feed(Cat())
feed(Dog())
