import collections


class Mixed:
    def mix(self):
        return self.stir()

    def stir(self):
        return 1


class Bowl(collections.UserDict, Mixed):
    pass


Bowl().mix()
