class Query:
    def where(self):
        return self

    def run(self):
        return 1


class Special(Query):
    def limit(self):
        return 2


Special().where().limit()
Query().where().run()
