from argparse import Namespace
from typing import Generic, TypeVar

T = TypeVar("T")


class Mixin:
    def mix(self):
        return 1

    def run(self):
        return 2


class Known(dict, Mixin):
    def use(self):
        self.mix()
        self.get("x")


class Typed(Generic[T], Mixin):
    def use(self):
        self.mix()


class Unknown(Namespace, Mixin):
    def use(self):
        self.mix()

    def run(self):
        return super().run()


def made() -> "Unknown":
    return Unknown()


made().mix()
