class Point:
    def move(self):
        return self.mark()

    def mark(self):
        return 1


point = Point()
Point.move(point)
