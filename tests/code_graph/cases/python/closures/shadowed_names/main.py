def name():
    return "module"


def outer():
    def name():
        return "local"

    def inner():
        return name()

    return inner()


def other():
    return name()


outer()
other()
