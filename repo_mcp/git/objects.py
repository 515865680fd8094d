"""Objects of a git repository, as its files have them: commits, trees, blobs.

No program is started, since git runs what a repository's configuration says. What is read is in the
folder of objects: a loose object, or an entry of a pack, where it may be a delta of another one. A
repository from elsewhere may name any folder as its alternate, or have a link to it: neither is
followed.

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
from repo_mcp.git.work import (
    MOST_COMMIT_BYTES,
    MOST_OBJECT_BYTES,
    MOST_TREE_BYTES,
    ObjectLimitError,
    UnpackingWork,
)

_KINDS: Final = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _HASH_DELTA = 6, 7
_MOST_OF_KIND: Final = {"blob": MOST_OBJECT_BYTES, "tree": MOST_TREE_BYTES}
# as long a chain as git writes with the largest depth that it takes
_MOST_DELTAS: Final = 4096
# bytes that the deltas of one object may make on the way
_MOST_MADE: Final = 1 << 30
_MOST_PACKS: Final = 1000
_SMALL_BYTES: Final = 4096
# of an object's content: two numbers at most, or its type and size
_HEAD_BYTES: Final = 32
# objects that are kept: neighbours in a pack have them as bases, and commits share folders
_KEPT_BYTES: Final = 32 << 20
# packs that are open
_MOST_OPEN: Final = 64
_ABSENT: Final = -1
# in the place of an offset, for what is in no pack
_LOOSE: Final = -1

T = TypeVar("T")


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
        self._most = min(most, MOST_OBJECT_BYTES)
        # what is unpacked, until another question begins
        self.work = UnpackingWork()
        self._most_kept = kept
        self._indexes: list[PackIndex | MultiPackIndex] | None = None
        # as they were when the packs were looked for
        self._listed: list[str] = []
        # folders of loose objects, and whether they are no links
        self._own: dict[str, bool] = {}
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
            why = str(error) if isinstance(error, ObjectLimitError) else self._why(identity, kind)
            raise UnreadObjectError(ObjectGap("", kind, identity, why)) from error
        if found.kind != kind:
            raise UnreadObjectError(
                ObjectGap("", kind, identity, DAMAGED if found.kind else MISSING)
            )
        return found.data

    def _why(self, identity: bytes, kind: str) -> str:
        """The reason why an object that is there can't be read."""
        with suppress(*DAMAGE):
            return LARGE if self.size(identity) > self._most_of(kind) else DAMAGED
        return DAMAGED

    def _most_of(self, kind: str) -> int:
        """The largest size of an object of a type."""
        return min(self._most, _MOST_OF_KIND.get(kind, MOST_COMMIT_BYTES))

    def _get(self, identity: bytes) -> GitObject:
        place, damage = self._find(identity)
        if place is not None:
            return self._entry(*place)
        path = self._loose_path(identity.hex())
        known = self._known((path, _LOOSE))
        if known is not None:
            return known
        data = content(path, self._most) if path else b""
        if data:
            return self._keep((path, _LOOSE), self._loose(data))
        if damage is not None:  # it may be where that can't be told
            raise damage
        return NOTHING

    def _find(self, identity: bytes) -> tuple[tuple[Pack, int] | None, Exception | None]:
        """Pack and offset of an object; without them, what is wrong with an index of packs."""
        damage: Exception | None = None
        for index in self._packs():
            try:
                found = index.find(identity)
            except DAMAGE as error:
                damage = error.with_traceback(None)
            else:
                if found is not None:
                    return found, None
        return None, damage

    def _loose_path(self, name: str) -> str:
        """The path of a loose object of these digits; empty where its folder is a link."""
        folder = os.path.join(self._folder, name[:2])
        if folder not in self._own:
            self._own[folder] = is_own_folder(folder)
        return os.path.join(folder, name[2:]) if self._own[folder] else ""

    def size(self, identity: bytes) -> int:
        """The size of an object's content; -1 where it is not there. Raises one of `DAMAGE`."""
        return self._look(self._size, identity, _ABSENT)

    def _size(self, identity: bytes) -> int:
        place, damage = self._find(identity)
        if place is not None:
            return _size_of_entry(*place)
        path = self._loose_path(identity.hex())
        with suppress(OSError), GitFile(path) as file:
            head = zlib.decompressobj().decompress(file.read(0, _SMALL_BYTES), _HEAD_BYTES)
            return int(head.partition(b"\0")[0].split(b" ")[1])
        if damage is not None:
            raise damage
        return _ABSENT

    def beginning(self, prefix: str, most: int) -> list[str]:
        """Up to `most` hashes that begin with four or more hexadecimal digits."""
        found: set[str] = set()
        for index in self._packs():
            with suppress(*DAMAGE):  # others may have it
                found |= {item.hex() for item in index.beginning(prefix, most)}
        path = self._loose_path(prefix)
        with suppress(OSError):
            names = os.listdir(os.path.dirname(path)) if path else []
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
        self._packs()
        if _names_of_indexes(self._folder) == self._listed:
            return False
        self._indexes = None
        self._files.close()
        self._bases.clear()
        self._kept = 0
        return True

    def _loose(self, data: bytes) -> GitObject:
        unpacking = zlib.decompressobj()
        made = unpacking.decompress(data, self._most + _SMALL_BYTES)
        self.work.add(len(data), len(made))
        head, _, rest = made.partition(b"\0")
        kind = head.partition(b" ")[0].decode("latin-1")
        if not unpacking.eof or len(rest) > self._most_of(kind):
            raise ValueError(len(made))
        return GitObject(kind, rest)

    def _entry(self, pack: Pack, offset: int) -> GitObject:
        """An entry, after its deltas."""
        deltas: list[tuple[Pack, int, bytes]] = []
        budget, held = _MOST_MADE, MOST_OBJECT_BYTES
        while True:
            found = self._known((pack.path, offset))
            if found is not None:
                break
            entry = pack.entry(offset)
            if entry.kind not in {_OFFSET_DELTA, _HASH_DELTA}:
                kind = _KINDS.get(entry.kind, "")
                # a delta may make little of a large base
                most = MOST_OBJECT_BYTES if deltas else self._most_of(kind)
                data = pack.inflate(entry, 0, most, self.work)
                found = self._keep((pack.path, offset), GitObject(kind, data))
                break
            base, skipped = self._base(pack, offset, entry)
            delta = pack.inflate(entry, skipped, held, self.work)
            deltas.append((pack, offset, delta))
            held -= len(delta)
            if len(deltas) > _MOST_DELTAS:
                raise ValueError(offset)
            if isinstance(base, GitObject):
                found = base
                break
            pack, offset = base
        while deltas:
            pack, offset, delta = deltas.pop()
            most = MOST_OBJECT_BYTES if deltas else self._most_of(found.kind)
            found = GitObject(found.kind, apply_delta(found.data, delta, most))
            budget -= len(found.data)
            if budget < 0:
                raise ValueError(offset)
            self._keep((pack.path, offset), found)
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
        found, _ = self._find(identity)
        if found is not None:
            return found, HASH_BYTES
        loose = self.get(identity)  # of a pack that was sent without it
        if not loose.kind:
            raise ValueError(offset)
        return loose, HASH_BYTES

    def _known(self, key: tuple[str, int]) -> GitObject | None:
        found = self._bases.get(key)
        if found is not None:
            self._bases.move_to_end(key)
        return found

    def _keep(self, key: tuple[str, int], found: GitObject) -> GitObject:
        if len(found.data) <= self._most_kept // 4:
            self._bases[key] = found
            self._kept += len(found.data)
            while self._kept > self._most_kept:
                self._kept -= len(self._bases.popitem(last=False)[1].data)
        return found

    def _packs(self) -> Sequence[PackIndex | MultiPackIndex]:
        """The indexes of the packs."""
        if self._indexes is None:
            self._listed = _names_of_indexes(self._folder)
            is_own = is_own_folder(os.path.join(self._folder, "pack"))
            self._indexes = self._indexes_of(self._listed) if is_own else []
        return self._indexes

    def _indexes_of(self, names: Sequence[str]) -> list[PackIndex | MultiPackIndex]:
        folder = os.path.join(self._folder, "pack")
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


def is_own_folder(folder: str) -> bool:
    """True for a folder to which no link leads."""
    return os.path.realpath(folder) == folder


def _names_of_indexes(folder: str) -> list[str]:
    """The names of the indexes of packs; none where a link leads to them."""
    folder = os.path.join(folder, "pack")
    with suppress(OSError):
        names = os.listdir(folder) if is_own_folder(folder) else []
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
