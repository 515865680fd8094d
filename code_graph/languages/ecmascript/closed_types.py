"""Types of ECMAScript's library that are made by their constructors, and objects of functions."""

from __future__ import annotations

from typing import Final

_CLOSED: Final = frozenset(
    """
    Array String Number Boolean BigInt Symbol Object Function Map Set WeakMap WeakSet WeakRef Date
    RegExp Math JSON Reflect Intl console Atomics ArrayBuffer DataView Int8Array Uint8Array
    Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array
    MapIterator SetIterator process Buffer
    """.split()  # noqa: SIM905 a list of words reads better
)

# types that nothing inherits from
FINAL: Final = frozenset({"String", "Boolean"})


def is_closed(owner: str) -> bool:
    """True for a type that the language itself has."""
    return owner in _CLOSED


def is_module(owner: str) -> bool:
    """True for an object of the language that has functions, and is no value of a type."""
    return owner in _MODULES


_MODULES: Final = frozenset({"console", "Math", "JSON", "Reflect", "Intl", "Atomics", "process"})
