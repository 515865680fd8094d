def one():
    return 1


def two():
    return 2


table = [one, one]
table[1] = two
for entry in table:
    entry()
