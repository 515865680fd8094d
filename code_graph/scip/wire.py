"""Protobuf's encoding of messages, as far as SCIP uses it.

    message   fields: a key (number << 3 | type) as varint, then the value
    varint    type 0: 7 bits a byte, least significant first; negative numbers as 64 bits
    fixed     type 1: 8 bytes, type 5: 4 bytes; only skipped
    bytes     type 2: length as varint, then so many bytes: text, messages, packed numbers

Strict where damage could hide: a length beyond the end of its message, a varint of more than ten
bytes or 64 bits, groups and field number 0 are errors. Unknown fields are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from index_format.tuples import NamedTuple

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5
_MAX_VARINT_BYTES: Final = 10
_ONE_BYTE: Final = 0x80
_BITS: Final = (1 << 64) - 1
_SIGN: Final = 1 << 31
_WORD: Final = 1 << 32
_MAX_NUMBER: Final = (1 << 29) - 1
_SIZES: Final = {FIXED64: 8, FIXED32: 4}


class ProtobufError(ValueError):
    """The bytes are no message; says where."""


class WireField(NamedTuple):
    """One field: its number and type, and the value of a varint or the place of its bytes."""

    number: int
    type: int
    value: int
    begin: int
    end: int


# without the checks of its constructor, which take longer than reading a field
_new_field: Final = tuple.__new__


def write_varint(value: int) -> bytes:
    """A number as varint; a negative one as 64 bits."""
    value &= _BITS
    if value < 0x80:
        return bytes((value,))
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def write_number(number: int, value: int) -> bytes:
    """A field with a number; nothing for 0, the default."""
    return write_varint(number << 3 | VARINT) + write_varint(value) if value else b""


def write_bytes(number: int, value: bytes) -> bytes:
    """A field with bytes or a message, also an empty one."""
    return write_varint(number << 3 | BYTES) + write_varint(len(value)) + value


def write_text(number: int, value: str) -> bytes:
    """A field with text; nothing for an empty one. What is not Unicode becomes a question mark."""
    return write_bytes(number, value.encode("utf-8", "replace")) if value else b""


def write_numbers(number: int, values: Iterable[int]) -> bytes:
    """A field with packed numbers; nothing for none."""
    packed = b"".join(map(write_varint, values))
    return write_bytes(number, packed) if packed else b""


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number at a place, and the place behind it."""
    value = shift = 0
    for place in range(at, min(end, at + _MAX_VARINT_BYTES)):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > _BITS:
                break
            return value, place + 1
        shift += 7
    raise ProtobufError(f"a number at byte {at} is cut off or too long")


def read_fields(data: bytes, begin: int, end: int) -> Iterator[WireField]:
    """The fields of the message between two places, in their order."""
    at = begin
    while at < end:
        # nearly all keys and lengths have one byte: a call for each takes half of the time
        key = data[at]
        if key < _ONE_BYTE:
            at += 1
        else:
            key, at = read_varint(data, at, end)
        number, kind = key >> 3, key & 7
        if not 0 < number <= _MAX_NUMBER:
            raise ProtobufError(f"a field before byte {at} has the number {number}")
        if kind == VARINT:
            value, at = read_varint(data, at, end)
            yield _new_field(WireField, (number, kind, value, at, at))
            continue
        if kind == BYTES:
            if at < end and data[at] < _ONE_BYTE:
                size, at = data[at], at + 1
            else:
                size, at = read_varint(data, at, end)
        else:
            size = _SIZES.get(kind, -1)
        if size < 0:
            raise ProtobufError(f"a field before byte {at} has the type {kind}")
        if size > end - at:
            raise ProtobufError(f"a field of {size} bytes at byte {at} goes beyond its message")
        yield _new_field(WireField, (number, kind, 0, at, at + size))
        at += size


def to_int32(value: int) -> int:
    """A varint as the number of 32 bits that it means."""
    value &= _WORD - 1
    return value - _WORD if value & _SIGN else value


def read_numbers(data: bytes, field: WireField, most: int) -> list[int]:
    """The numbers of a packed or plain field, up to a limit."""
    if field.type == VARINT:
        return [to_int32(field.value)]
    found: list[int] = []
    _, _, _, begin, end = field
    at = begin
    while at < end:
        if len(found) == most:
            raise ProtobufError(f"a field at byte {begin} has more than {most} numbers")
        value = data[at]
        if value < _ONE_BYTE:
            at += 1
        else:
            value, at = read_varint(data, at, end)
            value = to_int32(value)
        found.append(value)
    return found


def read_text(data: bytes, field: WireField) -> str:
    """The text of a field."""
    if field.type != BYTES:
        raise ProtobufError(f"a field before byte {field.end} is no text")
    try:
        return data[field.begin : field.end].decode()
    except UnicodeDecodeError as error:
        raise ProtobufError(f"a text at byte {field.begin} is not UTF-8") from error
