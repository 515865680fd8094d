class Node:
    def __init__(self):
        self.next = None

    def visit(self):
        return 1


first = Node()
first.next = Node()
first.next.visit()
