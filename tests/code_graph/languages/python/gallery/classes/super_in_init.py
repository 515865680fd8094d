class Base:
    def __init__(self):
        self.setup()

    def setup(self):
        return 1


class Child(Base):
    def __init__(self):
        super().__init__()
        self.ready()

    def ready(self):
        return 2


Child()
