def work():
    return 1


def run(action=None):
    return action()


run(action=work)
