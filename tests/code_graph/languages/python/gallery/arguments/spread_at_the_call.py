def first():
    return 1


def second():
    return 2


def both(one, two):
    one()
    two()


pair = (first, second)
both(*pair)
