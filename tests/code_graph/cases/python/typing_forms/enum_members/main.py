from enum import Enum


class Color(Enum):
    RED = 1
    BLUE = 2

    def label(self):
        return self.pretty()

    def pretty(self):
        return self.name.title()

    @classmethod
    def default(cls):
        return cls.RED


def show(color: Color):
    return color.label()


show(Color.RED)
Color.BLUE.label()
Color.default().pretty()
Color(1).label()
Color["RED"].label()
for each in Color:
    each.pretty()
