from dataclasses import dataclass, field


def empty():
    return []


@dataclass
class Item:
    name: str
    price: int = 0

    def cost(self) -> int:
        return self.price


@dataclass
class Basket:
    items: list[Item] = field(default_factory=empty)
    first: Item | None = None

    def __post_init__(self):
        self.check()

    def check(self):
        return True

    def total(self):
        return sum(item.cost() for item in self.items)


basket = Basket([Item("a", 1)])
basket.total()
Basket()
