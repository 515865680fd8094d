"""Objects of a git repository, as its files have them: commits, trees, blobs.

No program is started, since git runs what a repository's configuration says. What is read is in the
folder of objects, or in those that its file of alternates names: a loose object, or an entry of a
pack, where it may be a delta of another one.

    objects/12/3456…        zlib: "blob <size>", a zero byte, the content

The hash of what is read is not computed again: commits say which publication is near, and contents
are compared with the files of the checkout.
"""

from __future__ import annotations

import os
import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from index_format.tuples import NamedTuple
from repo_mcp.git.deltas import apply_delta, size_after
from repo_mcp.git.gaps import DAMAGED, LARGE, MISSING, ObjectGap, UnreadObjectError
from repo_mcp.git.packs import (
    DAMAGE,
    HASH_BYTES,
    GitFile,
    MultiPackIndex,
    OpenFiles,
    Pack,
    PackEntry,
    PackIndex,
)

_KINDS: Final = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _HASH_DELTA = 6, 7
# as long a chain as git writes with the largest depth that it takes
_MOST_DELTAS: Final = 4096
# bytes that the deltas of one object may make on the way, and their own
_MOST_MADE: Final = 4 << 30
_MOST_PACKS: Final = 1000
_MOST_ALTERNATES: Final = 8
_SMALL_BYTES: Final = 4096
# of an object's content: two numbers at most, or its type and size
_HEAD_BYTES: Final = 32
# bases of deltas that are kept: neighbours in a pack share them
_KEPT_BYTES: Final = 32 << 20
# packs that are open
_MOST_OPEN: Final = 64
_ABSENT: Final = -1

T = TypeVar("T")
# the folders of objects, and the indexes of the packs in them
_Places = tuple[list[str], list[PackIndex | MultiPackIndex]]


class GitObject(NamedTuple):
    """The type of an object and its content."""

    kind: str
    data: bytes


NOTHING: Final = GitObject("", b"")


class GitObjects:
    """The objects below a folder `objects`; larger ones than `most` bytes can't be read.

    Git may pack them anew meanwhile: packs are looked for again when an object is not found. For
    one thread at a time.
    """

    def __init__(self, folder: str, most: int, kept: int = _KEPT_BYTES) -> None:
        """Nothing is read yet; `kept` bytes of objects are remembered."""
        self._folder = folder
        self._most = most
        self._most_kept = kept
        self._found: _Places | None = None
        # as it was when the packs were looked for
        self._listed: list[list[str]] = []
        self._files = OpenFiles(_MOST_OPEN)
        weakref.finalize(self, self._files.close)
        self._bases: OrderedDict[tuple[str, int], GitObject] = OrderedDict()
        self._kept = 0

    def read(self, identity: str) -> GitObject:
        """The object of a hash; of no kind where it is not there. Raises one of `DAMAGE`."""
        return self.get(bytes.fromhex(identity))

    def get(self, identity: bytes) -> GitObject:
        """The object of a hash in bytes, as `read` gives it."""
        return self._look(self._get, identity, NOTHING)

    def data(self, identity: bytes, kind: str) -> bytes:
        """The content of an object of this type; raises an `UnreadObjectError`, one of `DAMAGE`."""
        try:
            found = self.get(identity)
        except DAMAGE as error:
            raise UnreadObjectError(ObjectGap("", kind, identity, self._why(identity))) from error
        if found.kind != kind:
            raise UnreadObjectError(
                ObjectGap("", kind, identity, DAMAGED if found.kind else MISSING)
            )
        return found.data

    def _why(self, identity: bytes) -> str:
        """The reason why an object that is there can't be read."""
        with suppress(*DAMAGE):
            return LARGE if self.size(identity) > self._most else DAMAGED
        return DAMAGED

    def _get(self, identity: bytes) -> GitObject:
        folders, indexes = self._places()
        for index in indexes:
            found = index.find(identity)
            if found is not None:
                return self._entry(*found)
        name = identity.hex()
        for folder in folders:
            data = content(os.path.join(folder, name[:2], name[2:]), self._most)
            if data:
                return self._loose(data)
        return NOTHING

    def size(self, identity: bytes) -> int:
        """The size of an object's content; -1 where it is not there. Raises one of `DAMAGE`."""
        return self._look(self._size, identity, _ABSENT)

    def _size(self, identity: bytes) -> int:
        folders, indexes = self._places()
        for index in indexes:
            found = index.find(identity)
            if found is not None:
                return _size_of_entry(*found)
        name = identity.hex()
        for folder in folders:
            with suppress(OSError), GitFile(os.path.join(folder, name[:2], name[2:])) as file:
                head = zlib.decompressobj().decompress(file.read(0, _SMALL_BYTES), _HEAD_BYTES)
                return int(head.partition(b"\0")[0].split(b" ")[1])
        return _ABSENT

    def beginning(self, prefix: str, most: int) -> list[str]:
        """Up to `most` hashes that begin with four or more hexadecimal digits."""
        folders, indexes = self._places()
        found = {item.hex() for index in indexes for item in index.beginning(prefix, most)}
        for folder in folders:
            with suppress(OSError):
                names = os.listdir(os.path.join(folder, prefix[:2]))
                found |= {prefix[:2] + name for name in names if name.startswith(prefix[2:])}
        return sorted(found)[:most]

    def close(self) -> None:
        """Close all files."""
        self._files.close()

    def _look(self, read: Callable[[bytes], T], identity: bytes, absent: T) -> T:
        """Read an object, once more if it is not there, but other packs are."""
        try:
            found = read(identity)
        except FileNotFoundError:
            if not self._forget_old_packs():
                raise
        else:
            if found != absent or not self._forget_old_packs():
                return found
        return read(identity)

    def _forget_old_packs(self) -> bool:
        """True if other packs are there than those that are known, which are forgotten then."""
        folders, _ = self._places()
        if [_names_of_indexes(folder) for folder in folders] == self._listed:
            return False
        self._found = None
        self._files.close()
        self._bases.clear()
        self._kept = 0
        return True

    def _loose(self, data: bytes) -> GitObject:
        unpacking = zlib.decompressobj()
        made = unpacking.decompress(data, self._most + _SMALL_BYTES)
        if not unpacking.eof:
            raise ValueError(len(made))
        kind, _, rest = made.partition(b"\0")
        return GitObject(kind.partition(b" ")[0].decode("latin-1"), rest)

    def _entry(self, pack: Pack, offset: int) -> GitObject:
        """An entry, after its deltas."""
        deltas: list[tuple[Pack, int, bytes]] = []
        budget = _MOST_MADE
        while True:
            found = self._bases.get((pack.path, offset))
            if found is not None:
                self._bases.move_to_end((pack.path, offset))
                break
            entry = pack.entry(offset)
            if entry.kind not in {_OFFSET_DELTA, _HASH_DELTA}:
                data = pack.inflate(entry, 0, self._most)
                found = self._keep(pack, offset, GitObject(_KINDS.get(entry.kind, ""), data))
                break
            base, skipped = self._base(pack, offset, entry)
            delta = pack.inflate(entry, skipped, self._most)
            deltas.append((pack, offset, delta))
            budget -= len(delta)
            if len(deltas) > _MOST_DELTAS or budget < 0:
                raise ValueError(offset)
            if isinstance(base, GitObject):
                found = base
                break
            pack, offset = base
        while deltas:
            pack, offset, delta = deltas.pop()
            found = GitObject(found.kind, apply_delta(found.data, delta, self._most))
            budget -= len(found.data)
            if budget < 0:
                raise ValueError(offset)
            self._keep(pack, offset, found)
        return found

    def _base(
        self, pack: Pack, offset: int, entry: PackEntry
    ) -> tuple[tuple[Pack, int] | GitObject, int]:
        """The base of a delta, and how many bytes name it."""
        if entry.kind == _OFFSET_DELTA:
            back, used = _base_distance(entry.head)
            if not 0 < back <= offset:
                raise ValueError(offset)
            return (pack, offset - back), used
        identity = entry.head[:HASH_BYTES]
        for index in self._places()[1]:
            found = index.find(identity)
            if found is not None:
                return found, HASH_BYTES
        loose = self.get(identity)  # of a pack that was sent without it
        if not loose.kind:
            raise ValueError(offset)
        return loose, HASH_BYTES

    def _keep(self, pack: Pack, offset: int, found: GitObject) -> GitObject:
        if len(found.data) <= self._most_kept // 4:
            self._bases[pack.path, offset] = found
            self._kept += len(found.data)
            while self._kept > self._most_kept:
                self._kept -= len(self._bases.popitem(last=False)[1].data)
        return found

    def _places(self) -> _Places:
        """The folders of objects, and the indexes of the packs in them."""
        if self._found is None:
            folders = [self._folder]
            for folder in folders:
                named = content(os.path.join(folder, "info", "alternates"), _SMALL_BYTES)
                lines = [line for line in os.fsdecode(named).splitlines() if line]
                more = [os.path.normpath(os.path.join(folder, line)) for line in lines]
                fresh = [item for item in more if item not in folders]
                folders += fresh[: _MOST_ALTERNATES - len(folders)]
            self._listed = [_names_of_indexes(folder) for folder in folders]
            listed = zip(folders, self._listed, strict=True)
            self._found = folders, [index for given in listed for index in self._indexes(*given)]
        return self._found

    def _indexes(self, folder: str, names: Sequence[str]) -> list[PackIndex | MultiPackIndex]:
        folder = os.path.join(folder, "pack")
        found: list[PackIndex | MultiPackIndex] = []
        known: set[str] = set()
        with suppress(*DAMAGE, KeyError):
            several = MultiPackIndex(folder, self._files)
            found.append(several)
            known = {pack.path for pack in several.packs if pack is not None}
        stems = (os.path.join(folder, name[: -len(".idx")]) for name in names[:_MOST_PACKS])
        found += [
            PackIndex(Pack(stem, self._files), self._files) for stem in stems if stem not in known
        ]
        return found


def _names_of_indexes(folder: str) -> list[str]:
    with suppress(OSError):
        names = os.listdir(os.path.join(folder, "pack"))
        return sorted(name for name in names if name.endswith(".idx"))
    return []


def _size_of_entry(pack: Pack, offset: int) -> int:
    """The size of an entry's content: a delta says it at its beginning."""
    entry = pack.entry(offset)
    if entry.kind not in {_OFFSET_DELTA, _HASH_DELTA}:
        return entry.size
    skipped = _base_distance(entry.head)[1] if entry.kind == _OFFSET_DELTA else HASH_BYTES
    return size_after(zlib.decompressobj().decompress(entry.head[skipped:], _HEAD_BYTES))


def content(path: str, most: int) -> bytes:
    """The content of a small file; nothing if it can't be read."""
    with suppress(OSError, ValueError), GitFile(path) as file:
        if file.size <= most:
            return file.read(0, most)
    return b""


def _base_distance(data: bytes) -> tuple[int, int]:
    """The distance from a delta back to its base, and the number of bytes that say so."""
    used, distance = 1, data[0] & 0x7F
    while data[used - 1] & 0x80:
        distance = ((distance + 1) << 7) | (data[used] & 0x7F)
        used += 1
    return distance, used
