class Cat:
    def meow(self):
        return "m"


class Dog:
    def bark(self):
        return "w"


def speak(animal):
    if isinstance(animal, Cat):
        return animal.meow()
    return animal.bark()


speak(Cat())
speak(Dog())
