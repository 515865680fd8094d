def default_encoder(value):
    return str(value)


class Codec:
    encoder = staticmethod(default_encoder)
    helper = None

    def encode(self, value):
        return self.encoder(value)


class Helper:
    def help(self):
        return 1


class Service:
    helper_class = Helper

    def work(self):
        helper = self.helper_class()
        return helper.help()


Codec().encode(1)
Service().work()
