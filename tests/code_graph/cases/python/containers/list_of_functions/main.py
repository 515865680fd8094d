def a():
    return 1


def b():
    return 2


steps = [a, b]


def run():
    for step in steps:
        step()


def first():
    return steps[0]()


run()
first()
