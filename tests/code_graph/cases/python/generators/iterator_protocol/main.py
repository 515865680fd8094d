class Node:
    def name(self):
        return "n"


class Tree:
    def __init__(self):
        self.nodes = [Node()]

    def __iter__(self):
        return iter(self.nodes)

    def __getitem__(self, key):
        return self.pick(key)

    def pick(self, key) -> Node:
        return self.nodes[key]


class Chain:
    def __init__(self):
        self.left = 1

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return Node()


def names(tree: Tree):
    for node in tree:
        node.name()
    tree[0].name()


def chained():
    for node in Chain():
        node.name()


names(Tree())
chained()
