def apply(function, value):
    return function(value)


def double(value):
    return value * 2


def triple(value):
    return value * 3


def run():
    apply(double, 1)
    apply(triple, 1)


run()
