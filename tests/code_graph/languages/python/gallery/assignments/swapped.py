def one():
    return 1


def two():
    return 2


left, right = one, two
left, right = right, left


def run_left():
    return left()


run_left()
