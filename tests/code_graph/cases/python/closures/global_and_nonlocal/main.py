def one():
    return 1


def two():
    return 2


handler = one


def switch():
    global handler
    handler = two


def use():
    return handler()


def outer():
    current = one

    def change():
        nonlocal current
        current = two

    change()
    return current()


use()
switch()
use()
outer()
