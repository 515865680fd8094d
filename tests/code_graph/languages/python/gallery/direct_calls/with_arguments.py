def pick(action):
    return action


def work():
    return 1


pick(work)()
