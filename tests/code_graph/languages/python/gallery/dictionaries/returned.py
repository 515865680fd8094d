def one():
    return 1


def make():
    return {"one": one}


make()["one"]()
