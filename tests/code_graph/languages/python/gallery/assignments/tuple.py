def one():
    return 1


def two():
    return 2


def use_left():
    return left()


def use_right():
    return right()


left, right = one, two
use_left()
use_right()
