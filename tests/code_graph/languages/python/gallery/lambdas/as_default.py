def work():
    return 1


def run(action=lambda: work()):
    return action()


run()
