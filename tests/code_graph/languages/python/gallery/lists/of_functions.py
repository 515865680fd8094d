def one():
    return 1


def two():
    return 2


actions = [one, two]
actions[1]()
