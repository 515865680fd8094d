class Tool:
    def cut(self):
        return 1


class Base:
    tool: Tool

    def work(self):
        return self.tool.cut()


class Child(Base):
    def __init__(self, given):
        self.tool = given

    def again(self):
        return self.tool.cut()


Child(Tool()).work()
Child(Tool()).again()
