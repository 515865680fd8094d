def make(action):
    def run():
        return action()

    return run


def work():
    return 1


make(work)()
