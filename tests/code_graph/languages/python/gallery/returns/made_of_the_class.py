class Key:
    @classmethod
    def load(cls, name):
        key = cls()
        key.name = name
        return key

    @classmethod
    def default(cls):
        return cls.load("default")

    def copy(self):
        made = self.__class__()
        return made

    def twin(self):
        return type(self)()

    def sign(self):
        return 1


class Strong(Key):
    def sign(self):
        return 2


Strong.load("a").sign()
Strong.default().sign()
Strong().copy().sign()
Strong().twin().sign()
