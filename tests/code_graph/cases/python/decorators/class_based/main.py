class Counted:
    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, *args):
        self.bump()
        return self.function(*args)

    def bump(self):
        self.calls += 1


@Counted
def greet(name):
    return polite(name)


def polite(name):
    return name


greet("x")
