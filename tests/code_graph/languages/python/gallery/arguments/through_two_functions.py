def last():
    return 1


def inner(step):
    return step()


def outer(step):
    return inner(step)


outer(last)
