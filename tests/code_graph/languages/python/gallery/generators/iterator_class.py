class Item:
    def take(self):
        return 1


class Shelf:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return Item()


for item in Shelf():
    item.take()
