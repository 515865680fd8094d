class Cursor:
    def execute(self):
        return 1


class Database:
    def __enter__(self):
        self.begin()
        return Cursor()

    def __exit__(self, *error):
        self.commit()

    def begin(self):
        return 1

    def commit(self):
        return 2


def work():
    with Database() as cursor:
        cursor.execute()


work()
