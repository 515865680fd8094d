class Connection:
    def send(self):
        return 1


class Lazy:
    def __init__(self, factory):
        self.factory = factory

    def __get__(self, instance, owner):
        return self.factory()


def connect():
    return Connection()


class Client:
    connection = Lazy(connect)

    def ping(self):
        return self.connection.send()


Client().ping()
