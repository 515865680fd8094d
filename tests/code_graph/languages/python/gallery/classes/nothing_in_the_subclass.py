class Tool:
    def cut(self):
        return 1


class Base:
    def __init__(self):
        self.tool = Tool()

    def work(self):
        return self.tool.cut()


class Child(Base):
    def stop(self):
        self.work()
        self.tool.cut()
        self.tool = None


Child().stop()
