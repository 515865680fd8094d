"""Properties of Kotlin are methods in Java, and the other way round: the names of one by the other.

A property `total` is `getTotal()` and `setTotal()`, and `isOpen` is `isOpen()` and `setOpen()`.
"""

from __future__ import annotations

import re
from typing import Final

ACCESSOR: Final = re.compile(r"(get|set|is)([A-Z])(\w*)")


def methods_of(name: str) -> tuple[str, ...]:
    """The names of the methods by which Java reads and sets a property of Kotlin."""
    if not name.isidentifier():
        return ()
    found = ACCESSOR.fullmatch(name)
    if found is not None and found[1] == "is":
        return (f"set{found[2]}{found[3]}",)
    upper = f"{name[0].upper()}{name[1:]}"
    return f"get{upper}", f"set{upper}"


def properties_of(name: str) -> tuple[str, ...]:
    """The names of the properties that Kotlin may see a method of Java as, and its own name."""
    found = ACCESSOR.fullmatch(name)
    if found is None or found[1] == "is":
        return ()
    plain = f"{found[2].lower()}{found[3]}"
    return (plain, f"is{found[2]}{found[3]}") if found[1] == "set" else (plain,)
