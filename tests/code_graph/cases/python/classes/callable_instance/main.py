class Adder:
    def __init__(self, amount):
        self.amount = amount

    def __call__(self, value):
        return self.sum(value)

    def sum(self, value):
        return value + self.amount


class Holder:
    def __init__(self):
        self.add = Adder(2)

    def use(self):
        return self.add(3)


add = Adder(1)
add(2)
Holder().use()
