def one():
    return 1


def two():
    return 2


[action() for action in [one, two]]
