class Shape:
    def __init__(self, name):
        self.name = name

    def describe(self):
        return self.name


class Ring(Shape):
    def __init__(self):
        Shape.__init__(self, "ring")

    def describe(self):
        return Shape.describe(self)


Ring().describe()
