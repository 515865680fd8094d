def forward(function, *args, **kwargs):
    return function(*args, **kwargs)


def target(one, two=None):
    return one.name()


class Thing:
    def name(self):
        return "t"


def spread(*functions):
    for function in functions:
        function()


def keyed(**functions):
    functions["a"]()


def first():
    return 1


def second():
    return 2


forward(target, Thing(), two=1)
spread(first, second)
spread(*[first])
keyed(a=first, b=second)
