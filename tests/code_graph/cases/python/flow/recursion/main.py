def even(number):
    return True if number == 0 else odd(number - 1)


def odd(number):
    return False if number == 0 else even(number - 1)


class Tree:
    def __init__(self, left=None):
        self.left = left

    def depth(self):
        if self.left is None:
            return 1
        return 1 + self.left.depth()


even(3)
Tree(Tree()).depth()
