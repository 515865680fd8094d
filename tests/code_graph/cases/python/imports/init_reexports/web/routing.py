def route(path):
    return path
