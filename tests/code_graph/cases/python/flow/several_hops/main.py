class Session:
    def query(self):
        return Rows()


class Rows:
    def first(self):
        return Row()


class Row:
    def save(self):
        return True


def open_session():
    return make(0)


def make(depth):
    if depth > 2:
        return create()
    return make(depth + 1)


def create():
    session = Session()
    return session


def work():
    rows = open_session().query()
    row = rows.first()
    row.save()


work()
