import functools


class Part:
    def fit(self):
        return 1


class Machine:
    @functools.cached_property
    def part(self):
        return Part()


Machine().part.fit()
