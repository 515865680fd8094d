class Parser:
    @staticmethod
    def clean(text):
        return text.strip()

    @classmethod
    def parse(cls, text):
        cls.clean(text)
        return cls().read()

    def read(self):
        return self.clean("b ")


Parser.parse("a ")
