class Machine:
    def guarded(function):
        def checked(self):
            self.check()
            return function(self)

        return checked

    @guarded
    def start(self):
        return self.power()

    def check(self):
        return True

    def power(self):
        return 1


Machine().start()
