def begin():
    return 1


def end():
    return 2


pair = (begin, end)
opening, closing = pair


def both():
    opening()
    closing()


def by_index():
    pair[1]()


def swapped():
    one, two = end, begin
    one()


both()
by_index()
swapped()
