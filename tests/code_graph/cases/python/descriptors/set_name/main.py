class Typed:
    def __set_name__(self, owner, name):
        self.name = self.private(name)

    def private(self, name):
        return "_" + name

    def __get__(self, instance, owner):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        setattr(instance, self.name, self.convert(value))

    def convert(self, value):
        return int(value)


class Row:
    width = Typed()


row = Row()
row.width = "3"
print(row.width)
