class Reader:
    def __init__(self):
        self.open()

    def open(self):
        return "r"


def build(kind):
    return kind()


build(Reader)
