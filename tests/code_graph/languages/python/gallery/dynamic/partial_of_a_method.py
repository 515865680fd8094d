import functools


class Form:
    def set(self, name):
        return self.write(name)

    def write(self, name):
        return name


action = functools.partial(Form().set, "x")
action()
