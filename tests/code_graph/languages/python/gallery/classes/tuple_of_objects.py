class Up:
    def go(self):
        return 1


class Down:
    def fall(self):
        return 2


up, down = Up(), Down()
up.go()
down.fall()
