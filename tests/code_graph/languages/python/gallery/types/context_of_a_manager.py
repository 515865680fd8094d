import contextlib


class Session:
    def send(self):
        return 1


@contextlib.contextmanager
def opened():
    yield Session()


with opened() as session:
    session.send()
