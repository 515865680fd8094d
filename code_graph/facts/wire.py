"""Encodes facts to bytes and back: equal facts give equal bytes, damage gives one kind of error.

    version u8, lengths of the places, declarations, imports and uses (u32 each, little-endian),
    places, declarations, imports, uses

Each part is a sealed record (`languages/parts.py`): strings in tables, numbers in columns. Each is
decoded on its own, but declarations and uses with their places; without imports or uses their
parts are empty. Of a documentation text only the first line is kept.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from code_graph.facts import records
from code_graph.facts.columns import columns_of
from code_graph.facts.model import (
    MODULE,
    DeclarationSpan,
    Facts,
    Import,
    Use,
    normalize_name,
)
from code_graph.parts import DAMAGE, pack_part, read_first_number, unpack_part
from index_format.records import replace

# raise it when the bytes of equal facts change
VERSION: Final = 7

_HEAD: Final = struct.Struct("<BIIII")
T = TypeVar("T")


class DamagedFactsError(ValueError):
    """The bytes are not facts of this version."""


def as_stored(facts: Facts) -> Facts:
    """The facts as `decode` returns them: documentation cut to its first line."""
    shortened = tuple(
        replace(item, doc=records.first_line(item.doc)) if item.doc else item
        for item in facts.declarations
    )
    return replace(facts, declarations=shortened)


def encode(facts: Facts) -> bytes:
    """Encode facts; raises ValueError or OverflowError for impossible facts."""
    columns = columns_of(facts.declarations)
    _check_parents(columns.parents)
    places = pack_part(records.pack_places(columns))
    declarations = pack_part(records.pack_declarations(facts, columns))
    imports = pack_part(records.pack_imports(facts.imports)) if facts.imports else b""
    uses = pack_part(records.pack_uses(facts.uses, columns.names)) if facts.uses else b""
    parts = places, declarations, imports, uses
    return b"".join((_HEAD.pack(VERSION, *map(len, parts)), *parts))


def decode(data: bytes) -> Facts:
    """Decode all facts."""
    known = decode_declarations(data)
    return replace(
        known,
        imports=decode_imports(data),
        uses=decode_uses(data),
    )


def decode_for_linking(data: bytes) -> Facts:
    """Decode the facts without uses, and without columns that are only shown."""
    return replace(decode_declarations(data, shown=False), imports=decode_imports(data))


def decode_declarations(data: bytes, *, shown: bool = True) -> Facts:
    """Decode the facts without imports and uses.

    Unless they are `shown`, declarations have no signatures, documentation and contexts.
    """

    def read() -> Facts:
        facts = records.unpack_declarations(
            unpack_part(_part(data, 0)), unpack_part(_part(data, 1)), shown=shown
        )
        _check_parents([item.parent for item in facts.declarations])
        return facts

    return _guard(read)


def declarations_of(data: bytes) -> bytes:
    """The bytes of the declarations of encoded facts, without imports, uses and cuts."""

    def read() -> bytes:
        places, declarations = _part(data, 0), _part(data, 1)
        declarations = pack_part(records.without_cuts(unpack_part(declarations)))
        return _HEAD.pack(VERSION, len(places), len(declarations), 0, 0) + places + declarations

    return _guard(read)


def decode_count(data: bytes) -> int:
    """The number of declarations; inflates only the beginning of their places."""
    return _guard(lambda: read_first_number(_part(data, 0)))


class DeclarationPlaces:
    """The places of a file's declarations, also of one line."""

    __slots__ = ("_places",)

    def __init__(self, data: bytes) -> None:
        """Decode a file's facts as far as places need."""
        self._places = _guard(lambda: records.DeclarationSpans(unpack_part(_part(data, 0))))

    @property
    def columns(self) -> tuple[str, bytes, bytes, bytes, bytes, int]:
        """All declarations as they are stored, for compiled code: the columns may be damaged."""
        return self._places.columns

    def between(self, first: int, last: int) -> list[DeclarationSpan]:
        """Declarations that overlap a range of lines, shorter ones last."""
        return _guard(lambda: self._places.between(first, last))

    def named(self, name: str) -> list[DeclarationSpan]:
        """Declarations of a name, in any naming style and scope."""
        return _guard(lambda: self._places.named(normalize_name(name)))


def decode_imports(data: bytes) -> tuple[Import, ...]:
    """Decode only the imports."""
    return _guard(lambda: _unpack_optional(records.unpack_imports, _part(data, 2)))


def decode_uses(data: bytes) -> tuple[Use, ...]:
    """Decode only the uses of the file's own names."""

    def read() -> tuple[Use, ...]:
        part = _part(data, 3)
        return records.unpack_uses(unpack_part(_part(data, 0)), unpack_part(part)) if part else ()

    return _guard(read)


def _unpack_optional(read: Callable[[list[Any]], tuple[T, ...]], part: bytes) -> tuple[T, ...]:
    return read(unpack_part(part)) if part else ()


def _guard(read: Callable[[], T]) -> T:
    try:
        return read()
    except DAMAGE as error:
        raise DamagedFactsError(f"stored facts are damaged: {error}") from error


def _part(data: bytes, number: int) -> bytes:
    version, *lengths = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"version {version}, expected {VERSION}")
    if len(data) != _HEAD.size + sum(lengths):
        raise ValueError(f"{len(data)} bytes, expected {_HEAD.size + sum(lengths)}")
    begin = _HEAD.size + sum(lengths[:number])
    return data[begin : begin + lengths[number]]


def _check_parents(parents: Sequence[int]) -> None:
    """Refuse unknown parents and cycles of parents."""
    if parents and not MODULE <= min(parents) <= max(parents) < len(parents):
        raise ValueError("an unknown parent")
    # a parent almost always precedes its children: only where it does not can a cycle begin
    steps = 0
    for number, first in enumerate(parents):
        parent = first
        while parent >= number:
            parent = parents[parent]
            steps += 1
            if steps > 4 * len(parents):
                raise ValueError("a cycle of parents")
