class Sign:
    def __str__(self):
        return "sign"


class Stamp:
    def __repr__(self):
        return "stamp"


def show(sign: Sign, stamp: Stamp):
    return f"{sign} {stamp!r}"


def join(sign: Sign, stamp: Stamp):
    return "%s and %s" % (sign, stamp)


def make(sign: Sign):
    return str(sign)


def place(stamp: Stamp):
    return "at {}".format(stamp)


show(Sign(), Stamp())
join(Sign(), Stamp())
make(Sign())
place(Stamp())
