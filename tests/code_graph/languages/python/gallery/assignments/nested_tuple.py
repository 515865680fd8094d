def one():
    return 1


def two():
    return 2


def three():
    return 3


(a, (b, c)) = (one, (two, three))


def run_a():
    return a()


def run_c():
    return c()


run_a()
run_c()
