def fallback():
    return 1


def run(action=None):
    action = action or fallback
    return action()


run()
