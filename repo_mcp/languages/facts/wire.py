"""Encodes facts to bytes and back: equal facts give equal bytes, damage gives one kind of error.

    version u8, lengths of the places, declarations, imports, references and code (u32 each,
    little-endian), places, declarations, imports, references, code

Each part is the CRC-32 (u32) of a msgpack array (strings in tables, numbers in columns) and that
array, deflated. Each part is decoded on its own, but declarations with their places; without
imports, references or code their parts are empty. The deflater starts with a dictionary of text
common to most files: half of all files are so small that they would otherwise hardly shrink. Of a
documentation text only the first line is kept.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

import msgpack

from repo_mcp.languages.code import Code
from repo_mcp.languages.code.records import pack_code, unpack_code
from repo_mcp.languages.facts import records
from repo_mcp.languages.facts.model import (
    MODULE,
    DeclarationSpan,
    Facts,
    Import,
    Reference,
    normalize_name,
    shorten,
)

# raise it when the bytes of equal facts change
VERSION: Final = 5
MAX_DOC: Final = 200

_HEAD: Final = struct.Struct("<BIIIII")
_LEVEL: Final = 1
# without zlib's frame, whose Adler-32 is weak for columns of small numbers
_BARE: Final = -zlib.MAX_WBITS
_SUM: Final = struct.Struct("<I")
# part of the format: changing it requires a new version
_COMMON_WORDS: Final = """
abstract import overload override private protected readonly deprecated exported static async
instance interface enum struct namespace constructor typescript javascript csharp swift rust java go
cpp markdown section heading __future__ annotations __init__ collections.abc Callable Iterator
Sequence Mapping dataclass dataclasses datetime contextlib functools itertools pathlib pytest
unittest logging subprocess threading typing TYPE_CHECKING Any Final Optional NamedTuple re os sys
json time str int bool None bytes object list[str] get set append join split items values len
super() value name path text data key index result error self.assertEqual decorator base type write
read call self property class constant variable field function method public module python full
"""
_COMMON: Final = (
    # in msgpack's format of short strings: the length first
    b"".join(bytes([0xA0 | len(word)]) + word.encode() for word in _COMMON_WORDS.split())
    + b"\xa8def \x01\x02 -> \x03\xa7def \x01\x02\xa6(self)\xa2()\xa0\x00\x01\x02\x03\x04\x05"
)
# size of an inflated part; facts of files within the size limits are smaller
_MAX_PART: Final = 64 << 20
# bytes that contain the head of a record and its first number
_BEGINNING: Final = 16
_DAMAGE: Final = (
    ValueError,
    IndexError,
    TypeError,
    KeyError,
    OverflowError,
    struct.error,
    zlib.error,
    msgpack.UnpackException,
)
T = TypeVar("T")


class DamagedFactsError(ValueError):
    """The bytes are not facts of this version."""


def as_stored(facts: Facts) -> Facts:
    """The facts as `decode` returns them: with documentation cut to its first line."""
    shortened = tuple(
        replace(item, doc=_first_line(item.doc)) if item.doc != _first_line(item.doc) else item
        for item in facts.declarations
    )
    return replace(facts, declarations=shortened)


def encode(facts: Facts) -> bytes:
    """Encode facts; raises ValueError or OverflowError for impossible facts."""
    _check_parents([item.parent for item in facts.declarations])
    places = _deflate(records.pack_places(facts))
    declarations = _deflate(records.pack_declarations(as_stored(facts)))
    imports = _deflate(records.pack_imports(facts.imports)) if facts.imports else b""
    references = _deflate(records.pack_references(facts.references)) if facts.references else b""
    code = b"" if facts.code is None else _deflate(pack_code(facts.code))
    parts = places, declarations, imports, references, code
    return b"".join((_HEAD.pack(VERSION, *map(len, parts)), *parts))


def decode(data: bytes) -> Facts:
    """Decode all facts."""
    known = decode_declarations(data)
    return replace(
        known,
        imports=decode_imports(data),
        references=decode_references(data),
        code=decode_code(data),
    )


def decode_declarations(data: bytes) -> Facts:
    """Decode the facts without imports and references."""

    def read() -> Facts:
        facts = records.unpack_declarations(_inflate(_part(data, 0)), _inflate(_part(data, 1)))
        _check_parents([item.parent for item in facts.declarations])
        return facts

    return _guard(read)


def decode_count(data: bytes) -> int:
    """The number of declarations; inflates only the beginning of their places."""
    return _guard(lambda: _read_count(_part(data, 0)[_SUM.size :]))


class DeclarationPlaces:
    """Where the declarations of a file are; those of one line too."""

    __slots__ = ("_places",)

    def __init__(self, data: bytes) -> None:
        """Decode a file's facts as far as places need."""
        self._places = _guard(lambda: records.Places(_inflate(_part(data, 0))))

    def between(self, first: int, last: int) -> list[DeclarationSpan]:
        """Declarations that overlap a range of lines, shorter ones last."""
        return _guard(lambda: self._places.between(first, last))

    def named(self, name: str) -> list[DeclarationSpan]:
        """Declarations of a name, in any naming style and scope."""
        return _guard(lambda: self._places.named(normalize_name(name)))


def decode_imports(data: bytes) -> tuple[Import, ...]:
    """Decode only the imports."""
    return _guard(lambda: _unpack_optional(records.unpack_imports, _part(data, 2)))


def decode_references(data: bytes) -> tuple[Reference, ...]:
    """Decode only the references."""
    return _guard(lambda: _unpack_optional(records.unpack_references, _part(data, 3)))


def decode_code(data: bytes) -> Code | None:
    """Decode only the symbolic code; None without one."""

    def read() -> Code | None:
        part = _part(data, 4)
        return unpack_code(_inflate(part)) if part else None

    return _guard(read)


def _unpack_optional(read: Callable[[list[Any]], tuple[T, ...]], part: bytes) -> tuple[T, ...]:
    return read(_inflate(part)) if part else ()


def _guard(read: Callable[[], T]) -> T:
    try:
        return read()
    except _DAMAGE as error:
        raise DamagedFactsError(f"stored facts are damaged: {error}") from error


def _part(data: bytes, number: int) -> bytes:
    version, *lengths = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"version {version}, expected {VERSION}")
    if len(data) != _HEAD.size + sum(lengths):
        raise ValueError(f"{len(data)} bytes, expected {_HEAD.size + sum(lengths)}")
    begin = _HEAD.size + sum(lengths[:number])
    return data[begin : begin + lengths[number]]


def _deflate(record: list[Any]) -> bytes:
    packed: bytes = msgpack.packb(record, unicode_errors="surrogatepass")
    deflater = zlib.compressobj(_LEVEL, wbits=_BARE, zdict=_COMMON)
    sealed = _SUM.pack(zlib.crc32(packed))
    return b"".join((sealed, deflater.compress(packed), deflater.flush()))


def _inflate(data: bytes) -> list[Any]:
    inflater = zlib.decompressobj(wbits=_BARE, zdict=_COMMON)
    packed = inflater.decompress(data[_SUM.size :], _MAX_PART)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("a part is cut off or too long")
    if _SUM.unpack_from(data) != (zlib.crc32(packed),):
        raise ValueError("a part has a wrong checksum")
    record = msgpack.unpackb(packed, unicode_errors="surrogatepass")
    if not isinstance(record, list):
        raise ValueError("a part is not a record")  # noqa: TRY004 damaged bytes, not a caller's mistake
    return record


def _read_count(data: bytes) -> int:
    """The count, with which the places begin."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(zlib.decompressobj(wbits=_BARE, zdict=_COMMON).decompress(data, _BEGINNING))
    unpacker.read_array_header()
    return int(unpacker.unpack())


def _first_line(doc: str) -> str:
    return shorten(doc.partition("\n")[0], MAX_DOC)


def _check_parents(parents: list[int]) -> None:
    """Refuse unknown parents and cycles of parents."""
    if any(not MODULE <= parent < len(parents) for parent in parents):
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
