def hello():
    return "hello"


def run(action):
    return action()


run(hello)
