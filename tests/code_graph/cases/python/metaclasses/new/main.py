def collect(names):
    return sorted(names)


class Meta(type):
    def __new__(mcs, name, bases, namespace):
        namespace["fields"] = collect(namespace)
        return super().__new__(mcs, name, bases, namespace)

    def describe(cls):
        return cls.fields


class Record(metaclass=Meta):
    a = 1


class Sub(Record):
    b = 2


Record.describe()
Sub.describe()
