def fast():
    return 1


def slow():
    return 2


def run(quick):
    action = fast if quick else slow
    return action()


run(True)
run(False)
