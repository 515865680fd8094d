def logged(function):
    def wrapper():
        return function()

    return wrapper


@logged
def work():
    return 1


work()
