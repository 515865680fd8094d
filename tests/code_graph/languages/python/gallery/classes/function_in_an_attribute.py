def ring():
    return "r"


class Phone:
    def __init__(self):
        self.alarm = None

    def set(self):
        self.alarm = ring

    def wake(self):
        return self.alarm()


phone = Phone()
phone.set()
phone.wake()
