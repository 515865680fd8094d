LIMIT = 3


def cut():
    return join()


def join():
    return LIMIT


def _hidden():
    return 1
