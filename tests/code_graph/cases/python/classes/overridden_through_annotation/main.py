class Animal:
    def sound(self):
        raise NotImplementedError


class Cow(Animal):
    def sound(self):
        return "moo"


class Duck(Animal):
    def sound(self):
        return "quack"


def hear(animal: Animal):
    return animal.sound()


hear(Cow())
hear(Duck())
