from typing import cast


def load(value):
    return cast("Record", value).read()


class Record:
    def read(self):
        return 1


load(Record())
