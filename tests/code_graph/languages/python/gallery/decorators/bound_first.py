def logged(function):
    def wrapper():
        return function()

    return wrapper


mark = logged


@mark
def work():
    return 1


work()
