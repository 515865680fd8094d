__all__ = ["first"]
__all__.extend(["second"])


def first():
    return 1


def second():
    return 2
