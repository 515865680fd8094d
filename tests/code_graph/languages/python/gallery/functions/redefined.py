def work():
    return 1


work()


def work():  # noqa: F811
    return helper()


def helper():
    return 2


work()
