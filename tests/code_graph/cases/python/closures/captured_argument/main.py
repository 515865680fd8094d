def bind(action):
    def later():
        return action()

    return later


def save():
    return 1


def load():
    return 2


def run():
    tasks = bind(save)
    tasks()
    bind(load)()


run()
