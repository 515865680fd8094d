"""Keeps the values that were asked for last."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentValues(Generic[K, V]):
    """Values by their keys; forgets those that were not asked for the longest.

    Threads may share it; two that ask at once may both make a value.
    """

    __slots__ = ("_lock", "_most", "_values")

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most = most
        self._values: dict[K, tuple[V]] = {}
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[K], V]) -> V:
        """The value of a key, made if it is not kept."""
        with self._lock:
            known = self._values.pop(key, None)
            if known is not None:
                self._values[key] = known
                return known[0]
        value = make(key)
        with self._lock:
            self._values[key] = (value,)
            while len(self._values) > self._most:
                del self._values[next(iter(self._values))]
        return value
