def one():
    return 1


table = {}
table["one"] = one
table["one"]()
