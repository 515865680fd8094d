def one():
    return 1


def two():
    return 2


def three():
    return 3


def collect():
    found = [one]
    found.extend([two])
    found.insert(0, three)
    return found


def run():
    for entry in collect():
        entry()


run()
