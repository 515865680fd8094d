"""Facts as bytes and back: equal facts give equal bytes, and damaged bytes give one kind of error.

    version u8, lengths of the units, declarations, imports and references (u32 each,
    little-endian), units, declarations, imports, references

Each part is the CRC-32 (u32) of a msgpack array (strings in tables, numbers in columns) and that
array, deflated. A look at the units costs nothing for the rest; of no imports or
references there are no bytes. What most files have in common stands in a dictionary that the
deflater starts with: half of all files are so small that they would otherwise hardly shrink. Of a
documentation text only the first line is kept.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

import msgpack

from repo_mcp.languages.facts import records
from repo_mcp.languages.facts.model import MODULE, Facts, Import, Place, Reference, in_one, shorten

# raise it when the bytes of equal facts change
VERSION: Final = 3
MAX_DOC: Final = 200

_HEAD: Final = struct.Struct("<BIIII")
_LEVEL: Final = 1
# zlib's own frame has a sum that does not tell columns of small numbers apart
_BARE: Final = -zlib.MAX_WBITS
_SUM: Final = struct.Struct("<I")
# part of the format: a change of it is a change of the version
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
    # as msgpack writes short strings: their length first
    b"".join(bytes([0xA0 | len(word)]) + word.encode() for word in _COMMON_WORDS.split())
    + b"\xa8def \x01\x02 -> \x03\xa7def \x01\x02\xa6(self)\xa2()\xa0\x00\x01\x02\x03\x04\x05"
)
# no file that is read at all has facts of this size
_MAX_PART: Final = 64 << 20
# what nearly always holds all that stands before the first name
_BEGINNING: Final = 600
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
    """Bytes that are no facts of this version."""


def stored(facts: Facts) -> Facts:
    """The facts as they come back after having been stored."""
    shortened = tuple(
        replace(item, doc=_first_line(item.doc)) if item.doc != _first_line(item.doc) else item
        for item in facts.declarations
    )
    return replace(facts, declarations=shortened)


def encode(facts: Facts) -> bytes:
    """Facts as bytes; raises ValueError or OverflowError for facts that can't be true."""
    _check_parents([item.parent for item in facts.declarations])
    units = _deflated(records.of_units(facts))
    declarations = _deflated(records.of_declarations(stored(facts)))
    imports = _deflated(records.of_imports(facts.imports)) if facts.imports else b""
    references = _deflated(records.of_references(facts.references)) if facts.references else b""
    parts = units, declarations, imports, references
    return b"".join((_HEAD.pack(VERSION, *map(len, parts)), *parts))


def decode(data: bytes) -> Facts:
    """All of the facts."""
    known = decode_declarations(data)
    return replace(known, imports=decode_imports(data), references=decode_references(data))


def decode_declarations(data: bytes) -> Facts:
    """The facts without imports and references, which are not looked at."""

    def read() -> Facts:
        facts = records.to_declarations(_inflated(_part(data, 1)))
        _check_parents([item.parent for item in facts.declarations])
        return facts

    return _guarded(read)


def decode_count(data: bytes) -> int:
    """How many declarations there are; no more is looked at than what stands before them."""
    return _guarded(lambda: _counted(_part(data, 1)[_SUM.size :]))


def decode_places(data: bytes, first: int, last: int) -> list[Place]:
    """Declarations of several lines between two lines or around them; the shorter ones last."""
    return _guarded(lambda: records.to_places(_inflated(_part(data, 0)), first, last))


def decode_named(data: bytes, name: str) -> list[Place]:
    """Declarations of several lines that have a name in theirs, whatever the style of writing."""
    wanted = in_one(name)
    return _guarded(lambda: records.to_named(_inflated(_part(data, 0)), wanted))


def decode_imports(data: bytes) -> tuple[Import, ...]:
    """The imports alone."""
    return _guarded(lambda: _present(records.to_imports, _part(data, 2)))


def decode_references(data: bytes) -> tuple[Reference, ...]:
    """The references alone."""
    return _guarded(lambda: _present(records.to_references, _part(data, 3)))


def _present(read: Callable[[list[Any]], tuple[T, ...]], part: bytes) -> tuple[T, ...]:
    return read(_inflated(part)) if part else ()


def _guarded(read: Callable[[], T]) -> T:
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


def _deflated(record: list[Any]) -> bytes:
    packed: bytes = msgpack.packb(record, unicode_errors="surrogatepass")
    deflater = zlib.compressobj(_LEVEL, wbits=_BARE, zdict=_COMMON)
    sealed = _SUM.pack(zlib.crc32(packed))
    return b"".join((sealed, deflater.compress(packed), deflater.flush()))


def _inflated(data: bytes) -> list[Any]:
    inflater = zlib.decompressobj(wbits=_BARE, zdict=_COMMON)
    packed = inflater.decompress(data[_SUM.size :], _MAX_PART)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("a part does not end where it should")
    if _SUM.unpack_from(data) != (zlib.crc32(packed),):
        raise ValueError("a part is not what was stored")
    record = msgpack.unpackb(packed, unicode_errors="surrogatepass")
    if not isinstance(record, list):
        raise ValueError("a part is not a record")  # noqa: TRY004 it is about bytes, not a caller
    return record


def _counted(data: bytes) -> int:
    """The number that follows language, status and cuts; files with many cuts take a second try."""
    most = _BEGINNING
    while True:
        inflater = zlib.decompressobj(wbits=_BARE, zdict=_COMMON)
        unpacker = msgpack.Unpacker(unicode_errors="surrogatepass")
        unpacker.feed(inflater.decompress(data, most))
        try:
            unpacker.read_array_header()
            *_, count = (unpacker.unpack() for _ in range(4))
        except msgpack.OutOfData:
            if inflater.eof or most > _MAX_PART:
                raise
            most *= 16
        else:
            return int(count)


def _first_line(doc: str) -> str:
    return shorten(doc.partition("\n")[0], MAX_DOC)


def _check_parents(parents: list[int]) -> None:
    """Refuse parents that are not there, and circles of them."""
    if any(not MODULE <= parent < len(parents) for parent in parents):
        raise ValueError("a parent that is not there")
    # a parent almost always comes before: where it does not, and only there, a circle may begin
    steps = 0
    for number, first in enumerate(parents):
        parent = first
        while parent >= number:
            parent = parents[parent]
            steps += 1
            if steps > 4 * len(parents):
                raise ValueError("declarations that hold each other")
