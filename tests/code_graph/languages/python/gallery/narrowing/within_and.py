class Cat:
    def meow(self):
        return True


def loud(thing):
    return isinstance(thing, Cat) and thing.meow()


loud(Cat())
