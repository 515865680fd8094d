def one():
    return 1


def run(actions):
    return actions[0]()


run([one])
