from __future__ import annotations


class Node:
    def __init__(self, parent: Node | None):
        self.parent = parent

    def root(self):
        if self.parent is None:
            return self
        return self.parent.root()

    def name(self):
        return "n"


Node(Node(None)).root().name()
