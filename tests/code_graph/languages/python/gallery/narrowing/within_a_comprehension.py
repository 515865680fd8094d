class Cat:
    def meow(self):
        return True


def sounds(things):
    return [thing.meow() for thing in things if isinstance(thing, Cat)]


sounds([Cat(), 1])
