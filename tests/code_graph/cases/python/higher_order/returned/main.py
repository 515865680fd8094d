def pick(flag):
    if flag:
        return left
    return right


def left():
    return 1


def right():
    return 2


def go(flag):
    chosen = pick(flag)
    return chosen()


go(True)
go(False)
pick(True)()
