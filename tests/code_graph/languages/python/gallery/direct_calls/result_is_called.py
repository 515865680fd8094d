def outer():
    return inner


def inner():
    return 1


outer()()
