from dataclasses import dataclass


@dataclass
class Move:
    x: int

    def apply(self):
        return self.x


@dataclass
class Stop:
    reason: str

    def log(self):
        return self.reason


def on_text(text):
    return text


def handle(command):
    match command:
        case Move(x=x) as move:
            move.apply()
        case Stop():
            command.log()
        case str(text):
            on_text(text)
        case [Move() as first, *_]:
            first.apply()


handle(Move(1))
handle(Stop("x"))
handle("t")
handle([Move(1)])
