def ring():
    return 1


class Base:
    def __init__(self):
        self.action = ring


class Child(Base):
    def run(self):
        return self.action()


Child().run()
