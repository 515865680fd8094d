class Root:
    def visit(self):
        return ["root"]


class Left(Root):
    def visit(self):
        return ["left", *super().visit()]


class Right(Root):
    def visit(self):
        return ["right", *super().visit()]


class Both(Left, Right):
    def visit(self):
        return ["both", *super().visit()]


class Quiet(Left, Right):
    pass


Both().visit()
Left().visit()
Quiet().visit()
