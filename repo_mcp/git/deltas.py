"""Deltas of packs, and entries of trees: compiled where that is there, else in Python."""

from __future__ import annotations

from typing import Final

from repo_mcp.native import NATIVE, Buffer, ChangedEntry

_HASH_BYTES: Final = 20
_FOLDER: Final = b"4"
_NO_NAMES: Final = frozenset({b"", b".", b".."})
_GIT: Final = b".git"
# bytes that a command without a length copies
_USUAL_COPY: Final = 0x10000


def apply_plainly(base: Buffer, delta: Buffer, most: int) -> bytes:
    """The content of up to `most` bytes that a delta makes; `ValueError` for any other delta."""
    base, delta = bytes(base), bytes(delta)
    try:
        made = _apply(base, delta, most)
    except IndexError:
        made = None
    if made is None:
        msg = "a damaged delta"
        raise ValueError(msg)
    return made


def _apply(base: bytes, delta: bytes, most: int) -> bytes | None:
    before, at = _size(delta, 0)
    size, at = _size(delta, at)
    if before != len(base) or size > most:
        return None
    made = bytearray()
    while at < len(delta):
        command = delta[at]
        at += 1
        if command & 0x80:
            start, at = _number(delta, at, command & 0xF)
            length, at = _number(delta, at, command >> 4 & 7)
            source, length = base, length or _USUAL_COPY
        else:
            source, start, length = delta, at, command
            at += command
        if not length or start + length > len(source) or len(made) + length > size:
            return None
        made += source[start : start + length]
    return bytes(made) if len(made) == size else None


def size_after(delta: bytes) -> int:
    """The size of what a delta makes, by its first bytes; `IndexError` if these are too few."""
    return _size(delta, _size(delta, 0)[1])[0]


def _size(data: bytes, at: int) -> tuple[int, int]:
    """A number, seven bits a byte, the lowest first, and where it ends."""
    size = shift = 0
    while True:
        size |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return size, at


def _number(data: bytes, at: int, bits: int) -> tuple[int, int]:
    """A number of the bytes that are there, as these bits say, and where it ends."""
    value = 0
    for place in range(4):
        if bits >> place & 1:
            value |= data[at] << 8 * place
            at += 1
    return value, at


def is_file_name(name: bytes) -> bool:
    """True for a name that a file can have in a checkout; git writes no others."""
    return name not in _NO_NAMES and b"/" not in name and name.lower() != _GIT


def compare_plainly(old: Buffer, new: Buffer) -> list[ChangedEntry]:
    """Entries that two trees have not alike, in git's order; `ValueError` for damaged trees."""
    before, behind = tree_entries(bytes(old)), tree_entries(bytes(new))
    changed = {
        key: (before.get(key), behind.get(key))
        for key in sorted({*before, *behind})
        if before.get(key) != behind.get(key)
    }
    return [
        (key.removesuffix(b"/"), *(one or (b"", b"")), *(other or (b"", b"")))
        for key, (one, other) in changed.items()
    ]


def tree_entries(data: bytes) -> dict[bytes, tuple[bytes, bytes]]:
    """Mode and hash of each entry of a tree by its name, with a slash behind that of a folder."""
    found: dict[bytes, tuple[bytes, bytes]] = {}
    at = 0
    while at < len(data):
        space = data.find(b" ", at)
        end = data.find(b"\0", space)
        identity = data[end + 1 : end + 1 + _HASH_BYTES]
        if space < 0 or end < 0 or len(identity) != _HASH_BYTES:
            msg = "a damaged tree"
            raise ValueError(msg)
        mode = data[at:space].lstrip(b"0")  # some writers have padded it
        found[data[space + 1 : end] + (b"/" if mode.startswith(_FOLDER) else b"")] = mode, identity
        at = end + 1 + _HASH_BYTES
    return found


apply_delta: Final = apply_plainly if NATIVE is None else NATIVE.apply_delta
changed_entries: Final = compare_plainly if NATIVE is None else NATIVE.changed_entries
