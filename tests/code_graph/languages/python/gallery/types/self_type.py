from typing import Self


class Query:
    def where(self) -> Self:
        return self


class Special(Query):
    def limit(self):
        return 2


Special().where().limit()
