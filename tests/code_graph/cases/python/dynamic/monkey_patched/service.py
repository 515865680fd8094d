def connect():
    return "real"


class Client:
    def name(self):
        return "c"


def use():
    return connect()
