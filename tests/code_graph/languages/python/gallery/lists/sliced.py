def one():
    return 1


def two():
    return 2


actions = [one, two]
for action in actions[0:]:
    action()
