def first():
    return 1


def second():
    return 2


def every(*actions):
    for action in actions:
        action()


every(first, second)
