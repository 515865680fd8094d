def speed():
    return 1


def slow():
    return 2
