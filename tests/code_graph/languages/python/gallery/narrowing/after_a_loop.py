class Shell:
    def __init__(self, inner):
        self.inner = inner

    def crack(self):
        return self.inner


class Kernel:
    def eat(self):
        return 1


def reach(thing: Shell | Kernel):
    while isinstance(thing, Shell):
        thing = thing.crack()
    return thing.eat()


reach(Shell(Kernel()))
