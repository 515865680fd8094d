from typing import NamedTuple


class Key:
    def press(self):
        return 1


class Lock:
    def open(self):
        return 2


class Pair(NamedTuple):
    key: Key
    lock: Lock


def use(pair: Pair):
    key, lock = pair
    key.press()
    pair[1].open()


use(Pair(Key(), Lock()))
