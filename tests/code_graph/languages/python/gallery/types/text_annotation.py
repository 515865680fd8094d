class Owner:
    def greet(self, other: "Guest"):
        return other.wave()


class Guest:
    def wave(self):
        return 1


Owner().greet(Guest())
