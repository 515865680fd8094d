class Failure(Exception):
    def __init__(self):
        super().__init__()
        self.note()

    def note(self):
        return 1


class Client:
    error = Failure

    def fail(self):
        raise self.error()


try:
    Client().fail()
except Failure:
    pass
