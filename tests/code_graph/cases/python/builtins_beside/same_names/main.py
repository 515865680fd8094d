class Stack:
    def __init__(self):
        self.items = []

    def append(self, item):
        self.items.append(item)

    def get(self):
        return self.items.pop()

    def pop(self):
        return self.get()


def join(parts):
    return "".join(parts)


def copy(items):
    return items.copy()


stack = Stack()
stack.append(1)
stack.pop()
join(["a"])
copy([1])
{}.get("a")
[1].append(2)
