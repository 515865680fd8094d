def checked(method):
    def wrapper(self):
        self.check()
        return method(self)

    return wrapper


class Gate:
    @checked
    def open(self):
        return 1

    def check(self):
        return True


Gate().open()
