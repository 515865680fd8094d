def common():
    return 1


def only_first():
    return 1
