def early():
    return 1


def late():
    return 2


class Queue:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def drain(self):
        for item in self.items:
            item()


queue = Queue()
queue.add(early)
queue.add(late)
queue.drain()
