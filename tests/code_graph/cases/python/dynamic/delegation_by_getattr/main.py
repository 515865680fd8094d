class Real:
    def save(self):
        return 1

    def load(self):
        return 2


class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        return getattr(self._target, name)

    def load(self):
        return self._target.load()


proxy = Proxy(Real())
proxy.load()
proxy.save()
