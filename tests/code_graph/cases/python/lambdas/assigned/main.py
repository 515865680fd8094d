def base():
    return 1


def other():
    return 2


shortcut = lambda: base()


def use():
    return shortcut()


def inline():
    return (lambda value: other())(1)


use()
inline()
