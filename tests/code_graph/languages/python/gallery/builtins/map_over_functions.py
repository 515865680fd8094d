def double(value):
    return helper(value)


def helper(value):
    return value * 2


total = 0
for value in map(lambda number: double(number), [1, 2]):
    total += value
