from typing import NamedTuple


class Key:
    def press(self):
        return 1


class Pair(NamedTuple):
    left: Key
    right: Key

    def both(self):
        self.left.press()
        self.right.press()


Pair(Key(), Key()).both()
