def hello():
    return "hello"


def run(action):
    chosen = action
    return chosen()


greeting = hello
run(greeting)
