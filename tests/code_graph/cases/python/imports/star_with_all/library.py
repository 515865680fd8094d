__all__ = ["public", "_private_named"]


def public():
    return helper()


def helper():
    return 1


def hidden():
    return "theirs"


def _private_named():
    return 2
