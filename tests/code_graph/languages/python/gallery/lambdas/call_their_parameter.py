def work():
    return 1


apply = lambda action: action()
apply(work)
