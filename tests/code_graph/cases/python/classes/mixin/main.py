class JsonMixin:
    def to_json(self):
        return self.encode(self.to_dict())

    def encode(self, value):
        return str(value)


class Named:
    def __init__(self, name):
        self.name = name


class User(JsonMixin, Named):
    def to_dict(self):
        return {"name": self.name}


User("a").to_json()
