class Top:
    def act(self):
        return 1


class Left(Top):
    pass


class Right(Top):
    def act(self):
        return 2


class Both(Left, Right):
    pass


Both().act()
