class Meta(type):
    def __init__(cls, name, bases, members):
        super().__init__(name, bases, members)


class Base:
    def __init_subclass__(cls):
        return None


class Plain(metaclass=Meta):
    pass


def declare():
    class Inner(Base):
        pass

    return Inner()


declare()
