def repeat(times):
    def decorate(function):
        def run():
            for _ in range(times):
                function()

        return run

    return decorate


@repeat(3)
def ring():
    strike()


def strike():
    pass


def main_loop():
    ring()


main_loop()
