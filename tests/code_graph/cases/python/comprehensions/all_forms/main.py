def keep(value):
    return value


def change(value):
    return value


def values():
    return [1, 2]


def run():
    listed = [change(value) for value in values() if keep(value)]
    mapped = {keep(value): change(value) for value in listed}
    unique = {change(value) for value in mapped}
    lazy = (keep(value) for value in unique)
    return list(lazy)


run()
