def key_of(item):
    return item[0]


def is_even(number):
    return number % 2 == 0


def total(numbers):
    return sum(filter(is_even, numbers))


def ordered(items):
    return sorted(items, key=key_of)


total([1, 2])
ordered([(2,), (1,)])
