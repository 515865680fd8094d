"""Changes of inputs: of bytes, and of trees of values such as JSON and msgpack hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

Mutation = Callable[[bytes, Random], bytes]
Value = object

NUMBERS: Final = (
    *(0, 1, -1, 2, 7, 127, 128, 255, 256, 1000, 65_535, 65_536),
    *((1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, (1 << 63) - 1, 1 << 63),
    *((1 << 64) - 1, -(1 << 31), -(1 << 63)),
)
_FLOATS: Final = (1.5, -0.0, 1e300, math.inf, -math.inf)
TEXTS: Final = ("", " ", "\0", "\n", "a", "é", "\u2028", "\ud800", "\U0001f600", "../..", "[", "*")
_BYTES: Final = (b"\x00", b"\xff", b"\x80", b"\x7f", b"\n", b"\r\n", b" ", b"\xc3", b"\xed\xa0\x80")
_MOST_STEPS: Final = 6
_LONGEST_PIECE: Final = 64


def mutated(
    data: bytes, chance: Random, words: Sequence[bytes] = (), others: Sequence[bytes] = ()
) -> bytes:
    """The bytes after a few changes."""
    changed = bytearray(data)
    for _ in range(1 << chance.randrange(4)):
        chance.choice(_CHANGES)(changed, chance)
        if words and chance.random() < 0.4:
            _put(changed, chance, chance.choice(words))
    if others and chance.random() < 0.15:
        return _crossed(bytes(changed), chance.choice(others), chance)
    return bytes(changed)


def _crossed(data: bytes, other: bytes, chance: Random) -> bytes:
    """The beginning of one and the end of another, or a piece of it in between."""
    at, begin = chance.randrange(len(data) + 1), chance.randrange(len(other) + 1)
    if chance.random() < 0.5:
        return data[:at] + other[begin:]
    return data[:at] + other[begin : begin + _size(chance)] + data[at:]


def _size(chance: Random) -> int:
    return chance.randrange(1, chance.choice((2, 4, 9, _LONGEST_PIECE)))


def _place(data: bytearray, chance: Random) -> int:
    return chance.randrange(len(data) + 1)


def _put(data: bytearray, chance: Random, piece: bytes) -> None:
    """Insert a piece, or write it over what is there."""
    at = _place(data, chance)
    data[at : at + len(piece) * chance.randrange(2)] = piece


def _flip(data: bytearray, chance: Random) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _set(data: bytearray, chance: Random) -> None:
    if data:
        data[chance.randrange(len(data))] = chance.randrange(256)


def _delete(data: bytearray, chance: Random) -> None:
    at = _place(data, chance)
    del data[at : at + _size(chance)]


def _noise(data: bytearray, chance: Random) -> None:
    _put(data, chance, chance.randbytes(chance.randrange(1, 9)))


def _odd(data: bytearray, chance: Random) -> None:
    _put(data, chance, chance.choice(_BYTES))


def _integer(data: bytearray, chance: Random) -> None:
    """A number in binary."""
    size = chance.choice((2, 4, 8))
    number = chance.choice(NUMBERS) & ((1 << 8 * size) - 1)
    _put(data, chance, number.to_bytes(size, chance.choice(("little", "big"))))


def _decimal(data: bytearray, chance: Random) -> None:
    _put(data, chance, str(chance.choice(NUMBERS)).encode())


def _copy(data: bytearray, chance: Random) -> None:
    """A piece of it once more, somewhere else."""
    at = _place(data, chance)
    _put(data, chance, bytes(data[at : at + _size(chance)]))


def _repeat(data: bytearray, chance: Random) -> None:
    """A piece of it many times: depth, and long runs."""
    at = _place(data, chance)
    piece = bytes(data[at : at + chance.choice((1, 1, 2, 5, 12))])
    data[at:at] = piece * chance.choice((2, 3, 8, 40, 300, 1500))


def _truncate(data: bytearray, chance: Random) -> None:
    if chance.random() < 0.3:
        del data[_place(data, chance) :]


_CHANGES: Final = (
    *(_flip, _set, _delete, _noise, _odd, _integer),
    *(_decimal, _copy, _copy, _repeat, _truncate),
)


def json_bytes(value: Value) -> bytes:
    """A value as JSON; infinity as a number that is read as infinity."""
    return json.dumps(value, separators=(",", ":")).replace("Infinity", "1e400").encode()


def line_mutation(inner: Mutation) -> Mutation:
    """Changes one of an input's lines."""

    def mutate(data: bytes, chance: Random) -> bytes:
        rows = data.split(b"\n")
        at = chance.randrange(max(len(rows) - 1, 1))
        return b"\n".join([*rows[:at], inner(rows[at], chance), *rows[at + 1 :]])

    return mutate


def tree_mutation(
    load: Callable[[bytes], Value], dump: Callable[[Value], bytes], names: Sequence[str] = ()
) -> Mutation:
    """Changes values of a tree; bytes that hold none are changed as bytes."""

    def mutate(data: bytes, chance: Random) -> bytes:
        try:
            tree = load(data)
            for _ in range(chance.randrange(1, _MOST_STEPS)):
                tree = _changed(tree, chance, names)
            return dump(tree)
        except (ValueError, TypeError, OverflowError, RecursionError):
            return mutated(data, chance)

    return mutate


def _changed(value: Value, chance: Random, names: Sequence[str]) -> Value:
    """The tree with one of its values changed, mostly one deep inside."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        return _changed_members(value, chance, names)
    if isinstance(value, list) and value and chance.random() < 0.8:
        return _changed_items(value, chance, names)
    return _other(value, chance, names)


def _changed_members(
    value: dict[object, Value], chance: Random, names: Sequence[str]
) -> dict[object, Value]:
    key = chance.choice(list(value))
    fate = chance.random()
    if fate < 0.1:
        return {name: item for name, item in value.items() if name != key}
    if fate < 0.25:
        new = chance.choice(names) if names else chance.choice(TEXTS)
        return {**value, new: chance.choice([value[key], _other(value[key], chance, names)])}
    return {**value, key: _changed(value[key], chance, names)}


def _changed_items(value: list[Value], chance: Random, names: Sequence[str]) -> list[Value]:
    at = chance.randrange(len(value))
    fate = chance.random()
    if fate < 0.1:
        return [*value[:at], *value[at + 1 :]]
    if fate < 0.2:
        return [*value[:at], value[at], *value[at:]]
    return [*value[:at], _changed(value[at], chance, names), *value[at + 1 :]]


def _other(value: Value, chance: Random, names: Sequence[str]) -> Value:
    """Another value, often of the same type."""
    if chance.random() < 0.6:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return chance.choice((value + 1, value - 1, -value, chance.choice(NUMBERS)))
        if isinstance(value, str):
            return _other_text(value, chance, names)
        if isinstance(value, bytes):
            return mutated(value, chance)
    wrapped: tuple[Value, ...] = ([value], {"a": value}, [value] * chance.choice((2, 30)))
    plain: tuple[Value, ...] = (None, True, "", b"", [], {}, chance.choice(NUMBERS))
    return chance.choice((*wrapped, *plain, chance.choice(TEXTS), chance.choice(_FLOATS)))


def _other_text(value: str, chance: Random, names: Sequence[str]) -> str:
    if names and chance.random() < 0.5:
        return chance.choice(names)
    at = chance.randrange(len(value) + 1)
    fate = chance.randrange(3)
    if fate == 0:
        return value[:at] + chance.choice(TEXTS) + value[at:]
    return value[:at] + value[at + 1 :] if fate == 1 else value * chance.choice((2, 100))
