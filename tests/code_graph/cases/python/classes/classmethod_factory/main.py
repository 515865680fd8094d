class Point:
    def __init__(self, x):
        self.x = x

    @classmethod
    def origin(cls):
        return cls(0)

    @classmethod
    def unit(cls):
        return cls.origin().moved()

    @staticmethod
    def check(x):
        return x

    def moved(self):
        self.check(self.x)
        return Point(self.x + 1)


Point.unit()
Point.check(1)
Point.origin().moved()
