def one():
    return 1


def two():
    return 2


steps = [one]
steps += [two]
for step in steps:
    step()
