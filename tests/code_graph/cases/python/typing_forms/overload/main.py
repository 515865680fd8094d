from typing import overload


class Text:
    def upper(self):
        return 1


class Number:
    def inc(self):
        return 2


@overload
def convert(value: str) -> Text: ...
@overload
def convert(value: int) -> Number: ...
def convert(value):
    if isinstance(value, str):
        return Text()
    return Number()


def run():
    convert("a").upper()
    convert(1).inc()


run()
