class Part:
    def fit(self):
        return 1


class Machine:
    @property
    def part(self):
        return Part()

    def run(self):
        return self.part.fit()


Machine().run()
