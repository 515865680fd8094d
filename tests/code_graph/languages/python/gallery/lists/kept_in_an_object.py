def one():
    return 1


def two():
    return 2


class Bus:
    def __init__(self):
        self.listeners = []

    def add(self, listener):
        self.listeners.append(listener)

    def send(self):
        for listener in self.listeners:
            listener()


bus = Bus()
bus.add(one)
bus.add(two)
bus.send()
