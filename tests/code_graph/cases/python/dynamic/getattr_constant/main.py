import worker


class Robot:
    def walk(self):
        return 1

    def talk(self):
        return 2


def constant():
    return getattr(Robot(), "walk")()


def from_module():
    return getattr(worker, "work")()


def with_default():
    action = getattr(Robot(), "talk", None)
    return action()


constant()
from_module()
with_default()
