def drill():
    return 1
