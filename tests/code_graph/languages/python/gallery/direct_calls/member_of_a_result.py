class Tree:
    def climb(self):
        return self

    def rest(self):
        return 1


def grow():
    return Tree()


grow().climb().rest()
