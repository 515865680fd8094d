def add(argument):
    return argument


def remove(argument):
    return argument


def unknown(argument):
    return argument


COMMANDS = [("add", add), ("remove", remove)]


def dispatch(name, argument):
    for known, command in COMMANDS:
        if known == name:
            return command(argument)
    return unknown(argument)


def by_dict(name, argument):
    return dict(COMMANDS)[name](argument)


dispatch("add", 1)
dispatch("remove", 1)
dispatch("x", 1)
by_dict("add", 1)
by_dict("remove", 1)
