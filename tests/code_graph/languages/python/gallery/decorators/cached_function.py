import functools


@functools.lru_cache(maxsize=None)
def slow(value):
    return helper(value)


def helper(value):
    return value


slow(1)
