from typing import NamedTuple


class Pair(NamedTuple):
    left: "Leaf"
    right: "Leaf"

    def both(self):
        return self.left.show() + self.right.show()


class Leaf:
    def show(self):
        return 1


def run():
    pair = Pair(Leaf(), Leaf())
    pair.both()
    left, right = pair
    left.show()
    pair.right.show()
    pair._replace(left=Leaf()).both()


run()
