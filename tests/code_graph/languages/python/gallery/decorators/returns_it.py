def registered(function):
    return function


@registered
def work():
    return 1


work()
