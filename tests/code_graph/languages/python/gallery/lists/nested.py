def one():
    return 1


def two():
    return 2


rows = [[one], [two]]
rows[0][0]()
rows[1][0]()
