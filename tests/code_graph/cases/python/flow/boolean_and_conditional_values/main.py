class Real:
    def run(self):
        return 1


class Null:
    def run(self):
        return 2


def pick(given):
    chosen = given or Null()
    return chosen.run()


def ternary(flag):
    return (Real() if flag else Null()).run()


def late():
    made = None
    if made is None:
        made = Real()
    return made.run()


pick(Real())
pick(None)
ternary(True)
ternary(False)
late()
