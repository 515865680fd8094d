def one():
    return 1


def run(table):
    return table["one"]()


run({"one": one})
