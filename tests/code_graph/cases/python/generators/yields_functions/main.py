def first():
    return 1


def second():
    return 2


def tasks():
    yield first
    yield second


def run():
    for task in tasks():
        task()


run()
