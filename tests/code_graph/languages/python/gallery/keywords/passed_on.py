def work():
    return 1


def outer(**options):
    return inner(**options)


def inner(action):
    return action()


outer(action=work)
