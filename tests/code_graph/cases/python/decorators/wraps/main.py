import functools


def traced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        note(function.__name__)
        return function(*args, **kwargs)

    return wrapper


def note(text):
    return text


class Store:
    @traced
    def load(self, key):
        return self.find(key)

    def find(self, key):
        return key


store = Store()
store.load("a")
