def one():
    return 1


actions = []
actions.append(one)
actions[0]()
actions.pop()()
