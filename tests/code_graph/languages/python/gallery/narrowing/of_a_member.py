class Cat:
    def meow(self):
        return True


class Box:
    def __init__(self, content):
        self.content = content

    def open(self):
        if isinstance(self.content, Cat):
            return self.content.meow()
        return None


def look(box: Box):
    if isinstance(box.content, Cat):
        return box.content.meow()
    return None


Box(Cat()).open()
look(Box(Cat()))
