def red():
    return 1


def blue():
    return 2


def pick(name):
    table = {"r": lambda: red(), "b": lambda: blue(), "p": red}
    return table[name]()


pick("r")
pick("b")
pick("p")
