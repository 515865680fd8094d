def work():
    return 1


action = lambda: work()
action()
