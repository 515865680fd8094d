class Red:
    def paint(self):
        return "r"


class Blue:
    def paint(self):
        return "b"


KINDS = {"red": Red, "blue": Blue}


def paint(name):
    return KINDS[name]().paint()


paint("red")
paint("blue")
