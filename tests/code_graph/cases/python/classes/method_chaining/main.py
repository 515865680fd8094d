class Query:
    def __init__(self):
        self.parts = []

    def where(self, part):
        self.parts.append(part)
        return self

    def limit(self, count):
        return self.where(count)

    def all(self):
        return Result(self.parts)


class Result:
    def __init__(self, rows):
        self.rows = rows

    def first(self):
        return self.rows[0]


def search():
    return Query().where("a").limit(3).all().first()


search()
