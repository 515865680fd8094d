def one():
    return 1


def two():
    return 2


table = {}
table.setdefault("a", []).append(one)


def run():
    for action in table.get("a", []):
        action()


run()
