class Host:
    pass


def extra():
    return 1


host = Host()
setattr(host, "extra", extra)
host.extra()
