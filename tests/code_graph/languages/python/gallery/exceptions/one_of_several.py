class First(Exception):
    def tell(self):
        return 1


class Second(Exception):
    def tell(self):
        return 2


def work(kind):
    try:
        raise kind
    except (First, Second) as error:
        return error.tell()


work(First())
work(Second())
