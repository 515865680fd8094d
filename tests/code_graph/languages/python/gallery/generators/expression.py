class Item:
    def take(self):
        return 1


found = (Item() for _ in range(2))
for item in found:
    item.take()
