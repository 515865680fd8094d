def one():
    return 1


def other():
    return 2


table = {"one": one}


def run(name):
    return table.get(name, other)()


run("one")
run("none")
