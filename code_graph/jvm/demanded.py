"""Members that interfaces of the JVM's library demand, by the last parts of their names."""

from __future__ import annotations

from typing import Final

DEMANDED: Final = {
    **dict.fromkeys(("Closeable", "AutoCloseable"), ("close",)),
    "Runnable": ("run",),
    "Callable": ("call",),
    "Comparable": ("compareTo",),
    "Comparator": ("compare",),
    "Iterable": ("iterator",),
    "Iterator": ("hasNext", "next"),
    "Supplier": ("get",),
    "Consumer": ("accept",),
    "Predicate": ("test",),
    "Flushable": ("flush",),
}
