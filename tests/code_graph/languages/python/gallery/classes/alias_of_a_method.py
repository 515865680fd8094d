class Text:
    def read(self):
        return "t"

    load = read


Text().load()
