from collections.abc import Generator
from contextlib import contextmanager


class Session:
    def send(self):
        return 1


class Pool:
    @contextmanager
    def opened(self) -> Generator[Session, None, None]:
        yield Session()


with Pool().opened() as session:
    session.send()
