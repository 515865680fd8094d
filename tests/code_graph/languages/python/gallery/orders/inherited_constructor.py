class Top:
    def __init__(self):
        self.ready()

    def ready(self):
        return 1


class Middle(Top):
    pass


class Low(Middle):
    def use(self):
        return self.ready()


Low().use()
