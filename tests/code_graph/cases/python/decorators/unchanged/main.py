REGISTRY = []


def register(function):
    REGISTRY.append(function)
    return function


@register
def start():
    return 1


@register
def stop():
    return start()


def run_all():
    for entry in REGISTRY:
        entry()


stop()
run_all()
