def compose(outer, inner):
    def both(value):
        return outer(inner(value))

    return both


def strip(text):
    return text.strip()


def upper(text):
    return text.upper()


clean = compose(strip, upper)
clean(" a ")
