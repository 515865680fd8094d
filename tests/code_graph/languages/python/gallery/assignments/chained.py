def one():
    return 1


def two():
    return 2


first = second = one
first()
second()
first = two
first()
