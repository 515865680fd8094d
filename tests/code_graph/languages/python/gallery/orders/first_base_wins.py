class Left:
    def act(self):
        return 1


class Right:
    def act(self):
        return 2


class Both(Left, Right):
    pass


Both().act()
