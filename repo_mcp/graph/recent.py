"""Keeps the values that were asked for last."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentValues(Generic[K, V]):
    """Values by their keys; forgets those that were not asked for the longest."""

    __slots__ = ("_most", "_values")

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most = most
        self._values: dict[K, V] = {}

    def get(self, key: K, make: Callable[[K], V]) -> V:
        """The value of a key, made if it is not kept."""
        values = self._values
        if key in values:
            value = values.pop(key)
        else:
            value = make(key)
            while len(values) >= self._most:
                values.pop(next(iter(values)), None)
        values[key] = value
        return value
