def work():
    return 1


action = work
action()
