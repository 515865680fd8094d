class Item:
    def take(self):
        return 1


class Shelf(dict[str, Item]):
    pass


class Row(list[Item]):
    pass


def empty(shelf: Shelf, row: Row):
    shelf["a"].take()
    for item in row:
        item.take()


empty(Shelf(a=Item()), Row([Item()]))
