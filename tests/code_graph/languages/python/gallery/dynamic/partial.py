import functools


def add(one, two):
    return one + two


plus = functools.partial(add, 1)
plus(2)
