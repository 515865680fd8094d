from typing import Generic, TypeVar

T = TypeVar("T")


class Item:
    def take(self):
        return 1


class Box(Generic[T]):
    def __init__(self, content: T):
        self.content = content

    def get(self) -> T:
        return self.content


Box(Item()).get().take()
