import enum


class Colour(enum.Enum):
    RED = 1
    BLUE = 2

    def shade(self):
        return self.name


Colour.RED.shade()
for colour in Colour:
    colour.shade()
