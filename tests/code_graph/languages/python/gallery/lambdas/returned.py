def work():
    return 1


def make():
    return lambda: work()


make()()
