class Visitor:
    def visit(self, kind):
        method = getattr(self, "visit_" + kind, self.generic)
        return method()

    def visit_name(self):
        return 1

    def visit_call(self):
        return 2

    def generic(self):
        return 3


visitor = Visitor()
visitor.visit("name")
visitor.visit("call")
visitor.visit("other")
