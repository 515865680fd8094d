def echo():
    received = None
    while True:
        received = yield transform(received)


def transform(value):
    return value


def drive():
    source = echo()
    next(source)
    source.send(1)
    source.close()


drive()
