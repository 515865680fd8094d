def one():
    return 1


def two():
    return 2


actions = [one, two]
for at in range(2):
    actions[at]()
