class Item:
    def take(self):
        return 1


def inner():
    yield Item()


def outer():
    yield from inner()


for item in outer():
    item.take()
