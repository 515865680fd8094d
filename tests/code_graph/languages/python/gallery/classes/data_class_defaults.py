from dataclasses import dataclass, field


class Part:
    def fit(self):
        return 1


@dataclass
class Machine:
    main: Part
    parts: list[Part] = field(default_factory=list)

    def run(self):
        self.main.fit()
        for part in self.parts:
            part.fit()


Machine(Part(), [Part()]).run()
