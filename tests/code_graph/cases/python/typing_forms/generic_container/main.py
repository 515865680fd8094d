from typing import Generic, TypeVar

T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value

    def get(self) -> T:
        return self.value


class Apple:
    def eat(self) -> None:
        return None


def identity(value: T) -> T:
    return value


def first(values: list[T]) -> T:
    return values[0]


def run() -> None:
    Box(Apple()).get().eat()
    identity(Apple()).eat()
    first([Apple()]).eat()


def declared(box: Box[Apple]) -> None:
    box.get().eat()


run()
declared(Box(Apple()))
