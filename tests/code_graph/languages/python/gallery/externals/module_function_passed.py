import os.path


def apply(function, value):
    return function(value)


def own(value):
    return value


apply(os.path.basename, "a/b")
apply(own, "a")
