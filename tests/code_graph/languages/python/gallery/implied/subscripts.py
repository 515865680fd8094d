class Shelf:
    def __init__(self):
        self.rows = {}

    def __getitem__(self, key):
        return self.rows.get(key, 0)

    def __setitem__(self, key, value):
        self.rows[key] = value

    def __delitem__(self, key):
        self.rows.pop(key)

    def __contains__(self, key):
        return key in self.rows


def fill(shelf: Shelf):
    shelf["a"] = 1
    shelf["a"] += 1


def take(shelf: Shelf):
    return shelf["a"]


def clear(shelf: Shelf):
    del shelf["a"]


def has(shelf: Shelf, key: str):
    return key in shelf


made = Shelf()
fill(made)
take(made)
has(made, "a")
clear(made)
