class Base:
    @classmethod
    def create(cls) -> "Base":
        return cls()

    def run(self):
        return 0


class Derived(Base):
    def run(self):
        return 1


def build(kind: type[Base]) -> Base:
    return kind()


def run():
    build(Derived).run()
    Derived.create().run()
    type(Derived())().run()


run()
