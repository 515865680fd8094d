"""A listed folder: its entries as columns of bytes, which are cheap to compare with another time's.

- names, each followed by a NUL, in byte order
- kinds, a letter for each: f for a file, d for a folder, l for a link, u for a file that can't be
  read, o for anything else
- keys, 32 bytes for each: size, modification and change time in nanoseconds, and inode, as
  little-endian numbers of eight bytes; zeros for what is not a file. None, if names were asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Final

import xxhash

from index_format.tuples import NamedTuple


class StatKey(NamedTuple):
    """A file's fingerprint from `stat`: equal keys mean that the file is unchanged."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


# matches no file, so that the next comparison reads the file
UNKNOWN_KEY: Final = StatKey(-1, -1, -1, -1)


class FolderEntry(NamedTuple):
    """An entry of a folder: a file, which alone has a key, a folder, a link or something other.

    A file of a commit may be unreadable, as its object may be missing.
    """

    name: str
    kind: str
    key: StatKey | None


class FolderColumns(NamedTuple):
    """The entries of a folder as bytes."""

    names: bytes
    kinds: bytes
    keys: bytes


_KEY: Final = struct.Struct("<qqqQ")
# of a key, its size alone
_SIZE: Final = struct.Struct("<q24x")
KEY_BYTES: Final = _KEY.size
HASH_BYTES: Final = 8
# inodes have up to 64 bits, and file ids of Windows more
_INODE_MASK: Final = (1 << 64) - 1
_NO_KEY: Final = bytes(KEY_BYTES)
_FOLDER: Final = ord("d")
_KIND_OF: Final = {
    ord("f"): "file",
    _FOLDER: "folder",
    ord("l"): "link",
    ord("o"): "other",
    ord("u"): "unreadable",
}
_LETTER_OF: Final = {kind: letter for letter, kind in _KIND_OF.items()}


def pack_key(key: StatKey) -> bytes:
    """The bytes of a stat key."""
    return _KEY.pack(*key[:3], key.inode & _INODE_MASK)


def unpack_sizes(data: bytes) -> Iterator[int]:
    """The sizes in the bytes of stat keys."""
    return (size for (size,) in _SIZE.iter_unpack(data))


def unpack_keys(data: bytes) -> Iterator[StatKey]:
    """The stat keys in these bytes."""
    return map(StatKey._make, _KEY.iter_unpack(data))


class Folder:
    """A folder's entries, sorted by the bytes of their names, and its device."""

    __slots__ = ("_columns", "_entries", "device", "unreadable_names")

    def __init__(
        self, found: FolderColumns | list[FolderEntry], unreadable_names: int, device: int
    ) -> None:
        """Keep what was found; the other form of it is made when it is asked for."""
        self._columns = found if isinstance(found, FolderColumns) else None
        self._entries = found if isinstance(found, list) else None
        self.unreadable_names = unreadable_names
        self.device = device

    @property
    def entries(self) -> Sequence[FolderEntry]:
        """The entries."""
        if self._entries is None:
            self._entries = list(_entries_of(self.columns))
        return self._entries

    @property
    def columns(self) -> FolderColumns:
        """The entries as columns."""
        if self._columns is None:
            self._columns = _columns_of(self.entries)
        return self._columns

    @property
    def hash(self) -> bytes:
        """A hash of the columns, the same as that of compiled code."""
        return xxhash.xxh64_digest(b"".join(self.columns))

    def __contains__(self, name: str) -> bool:
        """True if an entry has this name."""
        names, wanted = self.columns.names, name.encode("utf-8", "surrogatepass") + b"\0"
        return names.startswith(wanted) or b"\0" + wanted in names

    def folders(self) -> list[FolderEntry]:
        """The entries that are folders."""
        names, kinds, _ = self.columns
        if _FOLDER not in kinds:
            return []
        named = zip(_split(names), kinds, strict=True)
        return [FolderEntry(name, "folder", None) for name, kind in named if kind == _FOLDER]


def _split(names: bytes) -> list[str]:
    return names.decode("utf-8", "surrogatepass").split("\0")[:-1]


def _entries_of(columns: FolderColumns) -> Iterator[FolderEntry]:
    keys = unpack_keys(columns.keys) if columns.keys else repeat(None)
    for name, kind, key in zip(_split(columns.names), columns.kinds, keys, strict=False):
        text = _KIND_OF[kind]
        yield FolderEntry(name, text, key if text == "file" else None)


def _columns_of(entries: Iterable[FolderEntry]) -> FolderColumns:
    listed = list(entries)
    names = "".join(f"{entry.name}\0" for entry in listed).encode("utf-8", "surrogatepass")
    keys = (_NO_KEY if entry.key is None else pack_key(entry.key) for entry in listed)
    return FolderColumns(names, bytes(_LETTER_OF[entry.kind] for entry in listed), b"".join(keys))
