def hello(self):
    return self.name()


def name(self):
    return "x"


Made = type("Made", (), {"hello": hello, "name": name})


class Base:
    def run(self):
        return 1


def make():
    class Inner(Base):
        pass

    return Inner


Made().hello()
make()().run()
