def one():
    return 1


def two():
    return 2


def both():
    return one, two


first, second = both()
first()
second()
