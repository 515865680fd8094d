class Bag:
    def __iadd__(self, other):
        return self

    def weigh(self):
        return 1


def fill():
    bag = Bag()
    bag += 1
    return bag.weigh()


fill()
