"""The order in which Python looks through a class and its bases."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bench.graph.edges import Where


def linearized(
    where: Where, bases_of: Callable[[Where], Iterable[Where]], below: tuple[Where, ...] = ()
) -> list[Where] | None:
    """The class and its bases in C3 order, or None if there is none; `below` came before it."""
    if where in below:
        return None
    bases = list(bases_of(where))
    orders = []
    for base in bases:
        order = linearized(base, bases_of, (*below, where))
        if order is None:
            return None
        orders.append(order)
    merged = _merge([*orders, bases])
    return None if merged is None else [where, *merged]


def _merge(rows: list[list[Where]]) -> list[Where] | None:
    order: list[Where] = []
    while rows := [row for row in rows if row]:
        later = {each for row in rows for each in row[1:]}
        head = next((row[0] for row in rows if row[0] not in later), None)
        if head is None:
            return None
        order.append(head)
        rows = [[each for each in row if each != head] for row in rows]
    return order
