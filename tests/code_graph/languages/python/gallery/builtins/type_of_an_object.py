class Seed:
    def grow(self):
        return type(self)()

    def water(self):
        return 1


Seed().grow().water()
