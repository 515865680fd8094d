def outer():
    return inner


def inner():
    return 1


action = outer()
action()
