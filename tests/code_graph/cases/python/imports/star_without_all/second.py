from first import only_first as _kept


def common():
    return _kept()


def only_second():
    return 2
