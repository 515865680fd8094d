def one():
    return 1


if (found := one) is not None:
    found()
