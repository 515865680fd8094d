from functools import partial


def power(base, exponent):
    return base**exponent


def call(function):
    return function(3)


square = partial(power, exponent=2)
square(3)
call(partial(power, 2))
