def add():
    return 1


def sub():
    return 2


def idle():
    return 3


TABLE = {"+": add, "-": sub}


def known():
    return TABLE["+"]()


def chosen(key):
    return TABLE[key]()


def guarded(key):
    return TABLE.get(key, idle)()


known()
chosen("+")
chosen("-")
guarded("-")
guarded("+")
guarded("?")
