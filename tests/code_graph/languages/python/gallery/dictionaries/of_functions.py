def one():
    return 1


def two():
    return 2


TABLE = {"one": one, "two": two}


def run():
    return TABLE["one"]()


run()
TABLE["two"]()
