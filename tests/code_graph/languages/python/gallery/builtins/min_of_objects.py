class Box:
    def __init__(self, size):
        self.size = size

    def lift(self):
        return self.size


min([Box(1), Box(2)], key=lambda box: box.size).lift()
