class Cat:
    def meow(self):
        return True


class Box:
    def __init__(self, content):
        self.content = content

    def open(self):
        if not isinstance(self.content, Cat):
            return None
        return self.content.meow()


Box(Cat()).open()
