def repeated(times):
    def decorate(function):
        def wrapper():
            return [function() for _ in range(times)]

        return wrapper

    return decorate


@repeated(2)
def work():
    return 1


work()
