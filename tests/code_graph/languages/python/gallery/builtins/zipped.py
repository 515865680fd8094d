class Left:
    def push(self):
        return "l"


class Right:
    def pull(self):
        return "r"


for left, right in zip([Left()], [Right()]):
    left.push()
    right.pull()
