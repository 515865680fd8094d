class Failure(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code

    def report(self):
        return self.code


def work():
    raise Failure(1)


try:
    work()
except Failure as error:
    error.report()
