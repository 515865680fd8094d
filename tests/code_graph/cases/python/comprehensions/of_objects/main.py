class Part:
    def weight(self):
        return 1


class Whole:
    def __init__(self):
        self.parts = [Part() for _ in range(2)]

    def weight(self):
        return sum(part.weight() for part in self.parts)

    def named(self):
        return {name: part for name, part in zip("ab", self.parts)}


def heaviest():
    whole = Whole()
    named = whole.named()
    named["a"].weight()
    return whole.weight()


heaviest()
