from contextlib import contextmanager


class Lock:
    def acquire(self):
        return 1

    def release(self):
        return 2

    def owner(self):
        return 3


@contextmanager
def held():
    lock = Lock()
    lock.acquire()
    try:
        yield lock
    finally:
        lock.release()


def use():
    with held() as lock:
        lock.owner()


use()
