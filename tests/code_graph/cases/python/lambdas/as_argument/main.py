def apply(function, value):
    return function(value)


def double(value):
    return value * 2


def run():
    return apply(lambda value: double(value), 3)


run()
