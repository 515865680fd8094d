class Circle:
    def draw(self):
        return "o"


class Square:
    def draw(self):
        return "#"


def build(kind):
    return kind()


def paint(kind):
    shape = build(kind)
    return shape.draw()


paint(Circle)
paint(Square)
