def plus(left, right):
    return left + right


def minus(left, right):
    return left - right


def reduce(values, step=plus):
    total = 0
    for value in values:
        total = step(total, value)
    return total


reduce([1, 2])
reduce([1, 2], minus)
