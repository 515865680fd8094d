def on_open():
    return 1


def on_close():
    return 2


handlers = {}
handlers["open"] = on_open
handlers["close"] = on_close


def fire(name):
    handlers[name]()


def close():
    handlers["close"]()


fire("open")
fire("close")
close()
