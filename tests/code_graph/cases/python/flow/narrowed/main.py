class Square:
    def side(self):
        return 1


class Circle:
    def radius(self):
        return 1


def area(shape):
    if isinstance(shape, Square):
        return shape.side()
    elif isinstance(shape, Circle):
        return shape.radius()
    return None


def guard(value):
    if not isinstance(value, Square):
        return None
    return value.side()


def assured(value):
    assert isinstance(value, Circle)
    return value.radius()


def either(value: Square | Circle | None):
    if value is None:
        return None
    return value.side() if isinstance(value, Square) else value.radius()


area(Square())
area(Circle())
guard(Square())
assured(Circle())
either(Circle())
either(Square())
