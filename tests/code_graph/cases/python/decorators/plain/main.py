def logged(function):
    def run(*args):
        return function(*args)

    return run


@logged
def area(width, height):
    return multiply(width, height)


def multiply(left, right):
    return left * right


area(2, 3)
