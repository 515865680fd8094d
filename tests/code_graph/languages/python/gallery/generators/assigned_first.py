def one():
    return 1


def every():
    yield one


actions = every()
chosen = next(actions)
chosen()
