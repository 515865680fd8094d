def compute():
    return 1


def other():
    return 2
