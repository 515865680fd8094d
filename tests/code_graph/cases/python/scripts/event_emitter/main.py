class Emitter:
    def __init__(self):
        self.listeners = {}

    def on(self, name, listener):
        self.listeners.setdefault(name, []).append(listener)
        return listener

    def emit(self, name, *args):
        for listener in self.listeners.get(name, []):
            listener(*args)

    def listen(self, name):
        def decorate(function):
            self.on(name, function)
            return function

        return decorate


emitter = Emitter()


def opened(name):
    return name


@emitter.listen("close")
def closed(name):
    return name


emitter.on("open", opened)
emitter.emit("open", "a")
emitter.emit("close", "a")
closed("b")
