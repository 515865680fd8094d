def show():
    return 1


class Panel:
    first = show()

    def show(self):
        return 2


Panel().show()
