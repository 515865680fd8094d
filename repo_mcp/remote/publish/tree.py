r"""The files of a published tree, and where in packs their texts are.

A pack has texts one behind the other, each as zlib, or as it is where that is no shorter. The tree
is zlib of:

    8 bytes    "rmtree1\n"
    2 x 4      the numbers of packs and of files
    28 each    of the packs: blake2b of the bytes, and their count
    41 each    of the files: kind, size of the text, its blake2b, number of the pack, and begin and
               length in it, the last three 0 where no text is published
    the rest   the paths, in the order of their bytes, each followed by a NUL

Numbers are little-endian and without signs. Packs and trees are named by the blake2b of their
bytes, so that equal trees are equal objects.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Final

from index_format.blake2 import blake2b, compare_digest
from index_format.tuples import NamedTuple
from repo_mcp.documents import MOST_PDF
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.publication import invalid

_SIGN: Final = b"rmtree1\n"
_COUNTS: Final = struct.Struct("<II")
_PACK: Final = struct.Struct("<20sQ")
_FILE: Final = struct.Struct("<BQ20sIII")
_LEVEL: Final = 6
# of a tree: one of a million files has some 90 MB
_MOST_BYTES: Final = 128 << 20
# of one text: no file that is read is larger
MOST_TEXT: Final = MOST_PDF
_MOST_PACKS: Final = 100_000
_MOST_PATH: Final = 4095
_MOST_DEPTH: Final = 200
# names that no tree of files has
_NO_NAMES: Final = frozenset({"", ".", "..", ".git"})
# the character behind the slash
_BEHIND_SLASH: Final = "0"


class TextKind(IntEnum):
    """The kind of a file of a tree; the texts of the first two are published."""

    FILE = 0
    # a link to a file of the tree, with the text of that
    LINK = 1
    BINARY = 2
    LARGE = 3
    # a link to something else
    OTHER = 4


class PackedPlace(NamedTuple):
    """Where a text is: the number of its pack, and its stored bytes there."""

    pack: int
    begin: int
    length: int


NOWHERE: Final = PackedPlace(0, 0, 0)


class TreeFile(NamedTuple):
    """A file of a tree: its kind, the size and hash of its text, and where that is."""

    path: str
    kind: TextKind
    size: int
    digest: bytes
    place: PackedPlace

    @property
    def has_text(self) -> bool:
        """True if its text is published."""
        return self.kind <= TextKind.LINK


class StoredPack(NamedTuple):
    """A pack by the hash of its bytes, and their count."""

    digest: bytes
    length: int

    @property
    def name(self) -> str:
        """The name of its object."""
        return names.pack_of(self.digest)


def digest_of(data: bytes) -> bytes:
    """The hash by which texts, packs and trees are known."""
    return blake2b(data, digest_size=names.DIGEST_BYTES).digest()


def stored_text(text: bytes) -> bytes:
    """The bytes of a text in a pack."""
    packed = zlib.compress(text, _LEVEL)
    return packed if len(packed) < len(text) else text


def read_text(stored: bytes, file: TreeFile) -> bytes | None:
    """The text of a file by its bytes in a pack; None for other bytes than its own.

    No more is unpacked than the file has.
    """
    text: bytes = stored
    if len(stored) != file.size:
        try:
            text = zlib.decompressobj().decompress(stored, file.size + 1)
        except zlib.error:
            return None
    is_own = len(text) == file.size and compare_digest(digest_of(text), file.digest)
    return text if is_own else None


def encode_tree(packs: Sequence[StoredPack], files: Sequence[TreeFile]) -> bytes:
    """The bytes of the tree of these files, which are in the order of their paths."""
    parts = [_SIGN, _COUNTS.pack(len(packs), len(files))]
    parts += [_PACK.pack(pack.digest, pack.length) for pack in packs]
    for kind, size, digest, (pack, begin, length) in (file[1:] for file in files):
        parts.append(_FILE.pack(kind, size, digest, pack, begin, length))
    parts += [file.path.encode() + b"\0" for file in files]
    return zlib.compress(b"".join(parts), _LEVEL)


class PublishedTree:
    """The files of a tree by their paths."""

    def __init__(self, packs: Sequence[StoredPack], rows: bytes, paths: Sequence[str]) -> None:
        """Keep packs, the rows of all files as bytes, and their paths in order."""
        self.packs = packs
        self._rows = rows
        self._paths = paths

    @classmethod
    def decode(cls, data: bytes, name: str) -> PublishedTree:
        """The tree of this name; raises a `Problem` for any other bytes, or ones that are none."""
        digest = digest_of(data)
        if names.tree_of(digest) != name:
            raise invalid(name, f"its bytes are those of {digest.hex()}")
        try:
            plain = zlib.decompressobj().decompress(data, _MOST_BYTES + 1)
            return cls._parse(plain)
        except (zlib.error, struct.error, ValueError) as error:
            raise invalid(name, f"not of the form of a tree: {error}") from error

    @classmethod
    def _parse(cls, plain: bytes) -> PublishedTree:
        if len(plain) > _MOST_BYTES or not plain.startswith(_SIGN):
            raise ValueError("it is too large, or begins otherwise")
        pack_count, file_count = _COUNTS.unpack_from(plain, len(_SIGN))
        first = len(_SIGN) + _COUNTS.size
        rows = first + pack_count * _PACK.size
        begin = rows + file_count * _FILE.size
        # before anything is made by these numbers
        if pack_count > _MOST_PACKS or begin + 2 * file_count > len(plain):
            raise ValueError("it has other numbers of packs and files than it says")
        packs = [*map(StoredPack._make, _PACK.iter_unpack(plain[first:rows]))]
        listed = plain[begin:].decode().split("\0")
        if listed.pop() or len(listed) != file_count:
            raise ValueError("it has another number of paths")
        tree = cls(packs, plain[rows:begin], listed)
        tree._check()
        return tree

    def _check(self) -> None:
        """Raise `ValueError` for paths that no tree has, and for places outside of packs."""
        before = folder = ""
        for path in self._paths:
            if path <= before:
                raise ValueError("its paths are in another order")
            before = path
            above = path.rpartition("/")[0]
            self._check_path(path, is_known=above == folder)
            folder = above
        for kind, size, _, pack, begin, length in _FILE.iter_unpack(self._rows):
            if kind > TextKind.OTHER:
                raise ValueError("it has a file of an unknown kind")
            if kind > TextKind.LINK:
                continue
            if size > MOST_TEXT or length > size:
                raise ValueError("it has a text that is too large")
            if length and (pack >= len(self.packs) or begin + length > self.packs[pack].length):
                raise ValueError("it has a text outside of its packs")

    def _check_path(self, path: str, *, is_known: bool) -> None:
        """Raise `ValueError` for a path that no tree has; `is_known`: its folder was checked."""
        if len(path.encode()) > _MOST_PATH or path.count("/") > _MOST_DEPTH:
            raise ValueError("it has a path that is too long")
        if not _NO_NAMES.isdisjoint(path.split("/")):
            raise ValueError("it has a path that no file has")
        folder = "" if is_known else path.rpartition("/")[0]
        while folder:
            if self.find(folder) is not None:
                raise ValueError("a file of it is a folder, too")
            folder = folder.rpartition("/")[0]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its packs in order."""
        return tuple(sorted(pack.name for pack in self.packs))

    def __len__(self) -> int:
        """The number of files."""
        return len(self._paths)

    def file(self, number: int) -> TreeFile:
        """A file by its number."""
        row = _FILE.unpack_from(self._rows, number * _FILE.size)
        kind, size, digest, pack, begin, length = row
        place = PackedPlace(pack, begin, length)
        return TreeFile(self._paths[number], TextKind(kind), size, digest, place)

    def find(self, path: str) -> int | None:
        """The number of the file with a path; None if there is none."""
        at = bisect_left(self._paths, path)
        return at if at < len(self._paths) and self._paths[at] == path else None

    def files(self) -> Iterator[TreeFile]:
        """All files."""
        return map(self.file, range(len(self._paths)))

    def entries(self, folder: str) -> Iterator[tuple[str, int | None]]:
        """Names in a folder (the root is ""), each with the number of its file; None of folders."""
        prefix = f"{folder}/" if folder else ""
        at = bisect_left(self._paths, prefix)
        while at < len(self._paths) and self._paths[at].startswith(prefix):
            name, slash, _ = self._paths[at][len(prefix) :].partition("/")
            if slash:
                yield name, None
                at = bisect_left(self._paths, f"{prefix}{name}{_BEHIND_SLASH}", at)
            else:
                yield name, at
                at += 1
