def one():
    return 1


chosen = [action for action in [one, None] if action]
chosen[0]()
