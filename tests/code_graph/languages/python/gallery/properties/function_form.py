class Part:
    def fit(self):
        return 1


class Machine:
    def part(self):
        return Part()

    part = property(part)


Machine().part.fit()
