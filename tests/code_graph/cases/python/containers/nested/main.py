def red():
    return 1


def green():
    return 2


def blue():
    return 3


MENU = {"colors": {"warm": [red], "cold": [green, blue]}}


def cold():
    return MENU["colors"]["cold"][1]()


def every():
    for group in MENU["colors"].values():
        for entry in group:
            entry()


cold()
every()
