class Basket:
    def append(self, item):
        return item


items = []
items.append(1)
Basket().append(2)
