def one():
    return 1


def two():
    return 2


table = {"a": one}
table.update({"b": two})
table["b"]()
