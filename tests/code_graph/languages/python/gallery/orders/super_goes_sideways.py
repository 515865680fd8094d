class Top:
    def act(self):
        return 1


class Left(Top):
    def act(self):
        return super().act()


class Right(Top):
    def act(self):
        return super().act()


class Both(Left, Right):
    pass


Left().act()
Right().act()
