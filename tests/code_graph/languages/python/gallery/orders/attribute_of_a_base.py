def first():
    return 1


def second():
    return 2


class Base:
    action = first


class Child(Base):
    action = second


Base.action()
Child.action()
