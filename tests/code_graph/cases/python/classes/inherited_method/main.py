class Base:
    def run(self):
        return self.step()

    def step(self):
        return 0


class Child(Base):
    def step(self):
        return 1


Child().run()
Base().run()
