class Json:
    def dump(self):
        return "j"


class Toml:
    def dump(self):
        return "t"


def pick(name):
    if name == "json":
        return Json()
    return Toml()


pick("json").dump()
pick("toml").dump()
