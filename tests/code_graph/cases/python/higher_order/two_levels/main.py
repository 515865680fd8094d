def outer(function):
    return inner(function)


def inner(callback):
    return callback()


def leaf():
    return 0


outer(leaf)
