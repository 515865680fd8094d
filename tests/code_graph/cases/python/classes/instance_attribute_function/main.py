def fast():
    return 1


def slow():
    return 2


class Runner:
    def __init__(self, mode):
        self.mode = mode

    def run(self):
        return self.mode()


Runner(fast).run()
Runner(slow).run()
