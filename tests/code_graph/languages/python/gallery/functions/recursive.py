def count(left):
    if left:
        return count(left - 1)
    return finish()


def finish():
    return 0


count(2)
