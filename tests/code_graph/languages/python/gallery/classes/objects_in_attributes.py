class Wheel:
    def turn(self):
        return 1


class Car:
    def __init__(self):
        self.wheels = [Wheel() for _ in range(2)]
        self.spare = Wheel()

    def drive(self):
        for wheel in self.wheels:
            wheel.turn()

    def swap(self):
        self.spare.turn()


car = Car()
car.drive()
car.swap()
