def numbers():
    yield one()
    yield two()


def one():
    return 1


def two():
    return 2


def total():
    return sum(numbers())


for number in numbers():
    print(number)
total()
