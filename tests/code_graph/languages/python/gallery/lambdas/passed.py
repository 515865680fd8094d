def work():
    return 1


def run(action):
    return action()


run(lambda: work())
