import functools


@functools.singledispatch
def show(value):
    return plain(value)


def plain(value):
    return str(value)


show("a")
