class Leaf:
    def value(self):
        return 1


def leaves():
    yield Leaf()


def everything():
    yield from leaves()
    yield from [Leaf()]


def walk():
    for leaf in everything():
        leaf.value()


walk()
