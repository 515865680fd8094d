class Item:
    def take(self):
        return 1


def kind():
    return Item


kind()().take()
