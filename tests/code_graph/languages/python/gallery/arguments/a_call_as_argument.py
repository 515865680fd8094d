def make():
    return finish


def finish():
    return 1


def run(action):
    return action()


run(make())
