class Door:
    def open(self):
        return 1

    def opener(self):
        return self.open


Door().opener()()
