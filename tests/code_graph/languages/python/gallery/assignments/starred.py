def one():
    return 1


def two():
    return 2


def three():
    return 3


first, *rest, last = (one, two, three)


def run_first():
    return first()


def run_last():
    return last()


run_first()
run_last()
