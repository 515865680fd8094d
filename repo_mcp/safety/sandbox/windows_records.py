"""Parses byte records of Windows calls: folder entries, file properties, link targets.

entry      next:u32 - created:i64 accessed:i64 written:i64 changed:i64 size:i64 allocated:i64
           attributes:u32 name_bytes:u32 tag:u32 short_bytes:u8 - short_name:24 - index:u64 name
by handle  attributes:u32 created:8 accessed:8 written:8 volume:u32 size_high:u32 size_low:u32
           links:u32 index_high:u32 index_low:u32
basic      created:i64 accessed:i64 written:i64 changed:i64 attributes:u32 -
link       tag:u32 bytes:u16 - offset:u16 length:u16 - - flags:u32 text
"""

from __future__ import annotations

import struct
from typing import Final

from repo_mcp.safety.sandbox.windows_answers import Information

_ENTRY: Final = struct.Struct("<I4x16xqqq8xIII2x24x2xQ")
_BY_HANDLE: Final = struct.Struct("<I24xIIIIII")
_BASIC: Final = struct.Struct("<16xqqI4x")
_LINK: Final = struct.Struct("<I4xHH4xI")
HANDLE_BYTES: Final = _BY_HANDLE.size
BASIC_BYTES: Final = _BASIC.size


def entries(buffer: bytes) -> list[tuple[str, Information]]:
    """The entries of one buffer, without `.` and `..`."""
    found: list[tuple[str, Information]] = []
    place = 0
    while True:
        step, written, changed, size, attributes, length, tag, index = _ENTRY.unpack_from(
            buffer, place
        )
        start = place + _ENTRY.size
        name = buffer[start : start + length].decode("utf-16-le", "surrogatepass")
        if name not in {".", ".."}:
            found.append((name, Information(attributes, tag, size, written, changed, index)))
        if not step:
            return found
        place += step


def information(by_handle: bytes, basic: bytes, tag: int) -> Information:
    """A file's properties from two records and its reparse tag."""
    attributes, volume, high, low, links, index_high, index_low = _BY_HANDLE.unpack(by_handle)
    written, changed, _ = _BASIC.unpack(basic)
    return Information(
        attributes,
        tag,
        high << 32 | low,
        written,
        changed,
        index_high << 32 | index_low,
        links,
        volume,
    )


def link_target(buffer: bytes) -> str:
    """The target of a symbolic link; an absolute one begins with a backslash."""
    _, offset, length, _ = _LINK.unpack_from(buffer)
    start = _LINK.size + offset
    return buffer[start : start + length].decode("utf-16-le", "surrogatepass")
