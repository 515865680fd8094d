class Cat:
    def meow(self):
        return True


def sound(thing):
    return thing.meow() if isinstance(thing, Cat) else None


sound(Cat())
