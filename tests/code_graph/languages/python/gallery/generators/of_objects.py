class Item:
    def take(self):
        return 1


def items():
    for _ in range(2):
        yield Item()


for item in items():
    item.take()
