"""Packs a record of strings and columns into sealed bytes, and back.

A part is the CRC-32 (u32, little-endian) of a msgpack array, and that array, deflated. The deflater
starts with a dictionary of text common to most files: half of all files are so small that they
would otherwise hardly shrink.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, Final

import msgpack

_LEVEL: Final = 1
# without zlib's frame, whose Adler-32 is weak for columns of small numbers
_BARE: Final = -zlib.MAX_WBITS
_SUM: Final = struct.Struct("<I")
# part of the format: changing it requires new versions of facts and code
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
# size of an inflated part; those of files within the size limits are smaller
_MAX_PART: Final = 64 << 20
# bytes that contain the head of a record and its first number
_BEGINNING: Final = 16
# errors of reading damaged bytes
DAMAGE: Final = (
    ValueError,
    IndexError,
    TypeError,
    KeyError,
    OverflowError,
    struct.error,
    zlib.error,
    msgpack.UnpackException,
)


def pack_part(record: list[Any]) -> bytes:
    """The sealed bytes of a record."""
    packed: bytes = msgpack.packb(record, unicode_errors="surrogatepass")
    deflater = zlib.compressobj(_LEVEL, wbits=_BARE, zdict=_COMMON)
    sealed = _SUM.pack(zlib.crc32(packed))
    return b"".join((sealed, deflater.compress(packed), deflater.flush()))


def unpack_part(data: bytes) -> list[Any]:
    """The record; raises one of `DAMAGE` where the bytes are damaged."""
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


def read_first_number(data: bytes) -> int:
    """The number with which a record begins; inflates only its beginning."""
    unpacker = msgpack.Unpacker()
    beginning = zlib.decompressobj(wbits=_BARE, zdict=_COMMON)
    unpacker.feed(beginning.decompress(data[_SUM.size :], _BEGINNING))
    unpacker.read_array_header()
    return int(unpacker.unpack())
