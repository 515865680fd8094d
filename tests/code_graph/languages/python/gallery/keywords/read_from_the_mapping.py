def work():
    return 1


def run(**options):
    return options["action"]()


run(action=work)
