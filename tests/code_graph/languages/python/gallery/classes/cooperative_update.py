class Store:
    def save(self):
        return self.write()

    def write(self):
        return "base"


class Loud(Store):
    def write(self):
        return super().write()


Store().save()
Loud().write()
