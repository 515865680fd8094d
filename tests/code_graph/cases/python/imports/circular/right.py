import left


def back(depth):
    left.go(depth)
