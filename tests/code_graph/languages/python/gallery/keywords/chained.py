def work():
    return 1


def other():
    return 2


def inner(action=other):
    return action()


def outer(action=other):
    return inner(action=action)


outer(action=work)
outer()
inner()
