def first():
    return 1


def second():
    return 2


def run():
    action = first
    action()
    action = second
    action()


def by_branch(flag):
    action = first
    if flag:
        action = second
    return action()


current = first
current()
current = second
current()
run()
by_branch(True)
by_branch(False)
