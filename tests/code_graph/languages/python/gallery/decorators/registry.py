HANDLERS = {}


def handles(name):
    def decorate(function):
        HANDLERS[name] = function
        return function

    return decorate


@handles("start")
def on_start():
    return 1


@handles("stop")
def on_stop():
    return 2


def send(name):
    return HANDLERS[name]()


send("start")
send("stop")
