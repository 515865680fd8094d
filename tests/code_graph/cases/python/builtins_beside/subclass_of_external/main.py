import threading
from collections import UserDict


class Registry(UserDict):
    def __missing__(self, key):
        return self.fallback(key)

    def fallback(self, key):
        return key

    def names(self):
        return list(self.keys())


class Worker(threading.Thread):
    def run(self):
        self.job()

    def job(self):
        return 1


registry = Registry()
registry.names()
registry["a"]
worker = Worker()
worker.start()
worker.join()
