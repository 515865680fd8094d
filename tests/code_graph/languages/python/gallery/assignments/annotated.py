from collections.abc import Callable


def one() -> int:
    return 1


chosen: Callable[[], int] = one
chosen()
