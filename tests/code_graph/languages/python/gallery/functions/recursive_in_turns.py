class Part:
    def fit(self):
        return 1


class Rest:
    def fit(self):
        return 2


def first(left):
    return second(left - 1) if left % 2 else Part()


def second(left):
    return third(left)


def third(left):
    return first(left) if left > 1 else Rest()


def begin():
    first(2).fit()
    first(1).fit()


def go_on():
    second(1).fit()
    second(2).fit()


begin()
go_on()
