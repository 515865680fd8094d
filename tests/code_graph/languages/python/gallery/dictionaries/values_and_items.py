def one():
    return 1


def two():
    return 2


table = {"a": one, "b": two}
for action in table.values():
    action()
for name, action in table.items():
    action()
