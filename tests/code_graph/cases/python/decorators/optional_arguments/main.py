def command(function=None, *, name=""):
    def decorate(inner):
        announce(name)
        return inner

    if function is None:
        return decorate
    return decorate(function)


def announce(name):
    return name


@command
def plain():
    return 1


@command(name="x")
def named():
    return plain()


named()
