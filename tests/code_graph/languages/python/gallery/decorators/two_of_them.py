def outer(function):
    def first():
        return function()

    return first


def inner(function):
    def second():
        return function()

    return second


@outer
@inner
def work():
    return 1


work()
