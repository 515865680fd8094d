class Tool:
    def cut(self):
        return "cut"


def nothing():
    return None


action = getattr(Tool(), "cut", nothing)
action()
