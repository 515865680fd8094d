import service


def fake():
    return "fake"


def shout(self):
    return self.name()


service.connect = fake
service.Client.shout = shout
service.connect()
service.Client().shout()
service.use()
