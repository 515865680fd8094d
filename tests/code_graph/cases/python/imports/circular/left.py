import right


def go(depth):
    if depth:
        right.back(depth - 1)
