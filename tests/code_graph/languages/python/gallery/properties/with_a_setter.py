class Part:
    def fit(self):
        return 1


class Machine:
    def __init__(self):
        self._part = None

    @property
    def part(self) -> Part:
        return self._part

    @part.setter
    def part(self, value):
        self._part = value


machine = Machine()
machine.part = Part()
machine.part.fit()
