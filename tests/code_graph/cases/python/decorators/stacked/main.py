def first(function):
    def one():
        return function()

    return one


def second(function):
    def two():
        return function()

    return two


@first
@second
def work():
    return done()


def done():
    return True


work()
