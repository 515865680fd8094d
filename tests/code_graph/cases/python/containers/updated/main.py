def base():
    return 1


def extra():
    return 2


def more():
    return 3


actions = {"base": base}
actions.update({"extra": extra})
actions.setdefault("more", more)


def run():
    for action in actions.values():
        action()


def pairs():
    for name, action in actions.items():
        action()


run()
pairs()
