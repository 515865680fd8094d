class Field:
    def __get__(self, owner, kind):
        return 1

    def __set__(self, owner, value):
        return None


class Form:
    name = Field()

    def __getattr__(self, name):
        return 2


def read(form: Form):
    return form.name


def write(form: Form):
    form.name = 3


def guess(form: Form):
    return form.other


read(Form())
write(Form())
guess(Form())
