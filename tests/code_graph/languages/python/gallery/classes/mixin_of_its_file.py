class Saves:
    def save(self):
        return self.write()


class Disk:
    def write(self):
        return 1


class File(Saves, Disk):
    pass


File().save()
