class Logger:
    def info(self):
        return 1


class Context:
    def __init__(self, logger):
        self.logger = logger


def handle(context):
    context.logger.info()
    context.extra = Tracker()
    context.extra.track()


class Tracker:
    def track(self):
        return 2


handle(Context(Logger()))
