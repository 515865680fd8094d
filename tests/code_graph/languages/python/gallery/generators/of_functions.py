def one():
    return 1


def two():
    return 2


def every():
    yield one
    yield two


for action in every():
    action()
