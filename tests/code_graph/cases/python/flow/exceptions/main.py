class Failure(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code

    def explain(self):
        return self.text()

    def text(self):
        return str(self.code)


class Worse(Failure):
    def text(self):
        return "worse"


def risky():
    raise Failure(1)


def cleanup():
    return None


def run():
    try:
        risky()
    except (Worse, Failure) as error:
        error.explain()
    finally:
        cleanup()


def other():
    try:
        raise Worse(2)
    except Worse as error:
        return error.text()


run()
other()
