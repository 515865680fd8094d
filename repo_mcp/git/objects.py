"""Objects of a git repository, as its files have them: commits, trees, blobs.

No program is started, since git runs what a repository's configuration says. What is read is in the
folder of objects, or in those that its file of alternates names: a loose object, or an entry of a
pack, where it may be a delta of another one.

    objects/12/3456…        zlib: "blob <size>", a zero byte, the content
    objects/pack/*.idx      version 2: magic, 256 counts, hashes, checksums, offsets, large offsets
    objects/pack/*.pack     at the offset: type and size, 7 bits a byte, then zlib

The hash of what is read is not computed again: commits say which publication is near, and contents
are compared with the files of the checkout.
"""

from __future__ import annotations

import os
import stat
import struct
import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Self

from index_format.tuples import NamedTuple

_READ: Final = os.O_RDONLY | sum(
    getattr(os, f"O_{flag}", 0) for flag in ("NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY")
)
_INDEX_MAGIC: Final = b"\xfftOc\x00\x00\x00\x02"
_FAN_OUT: Final = len(_INDEX_MAGIC)
_HASHES: Final = _FAN_OUT + 256 * 4
_LARGE: Final = 1 << 31
_KINDS: Final = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _HASH_DELTA = 6, 7
_MOST_DELTAS: Final = 60
_MOST_PACKS: Final = 1000
_MOST_ALTERNATES: Final = 8
_SMALL_BYTES: Final = 4096
# read at once of a pack; most entries are smaller
_PIECE_BYTES: Final = 1 << 15
# the type, the size, and what a delta begins with
_HEAD_BYTES: Final = 64
# bases of deltas that are kept: neighbours in a pack share them
_KEPT_BYTES: Final = 32 << 20
# packs that are open
_MOST_OPEN: Final = 64
# errors of reading a damaged repository
DAMAGE: Final = (OSError, ValueError, IndexError, struct.error, zlib.error)


class GitObject(NamedTuple):
    """The type of an object and its content."""

    kind: str
    data: bytes


_NOTHING: Final = GitObject("", b"")


class GitObjects:
    """The objects below a folder `objects`; larger ones than `most` bytes can't be read."""

    def __init__(self, folder: str, most: int) -> None:
        """Nothing is read yet."""
        self._folder = folder
        self._most = most
        self._found: tuple[list[str], list[_Pack]] | None = None
        self._open: OrderedDict[str, GitFile] = OrderedDict()
        weakref.finalize(self, _close_all, self._open)
        self._bases: OrderedDict[tuple[str, int], GitObject] = OrderedDict()
        self._kept = 0

    def read(self, identity: str) -> GitObject:
        """The object of a hash; of no kind where it is not there. Raises one of `DAMAGE`."""
        folders, _ = self._places()
        for folder in folders:
            data = content(os.path.join(folder, identity[:2], identity[2:]), self._most)
            if data:
                kind, _, rest = self._inflate([data]).partition(b"\0")
                return GitObject(kind.partition(b" ")[0].decode("latin-1"), rest)
        return self._packed(bytes.fromhex(identity), _MOST_DELTAS)

    def close(self) -> None:
        """Close all files."""
        _close_all(self._open)

    def _packed(self, identity: bytes, deltas: int) -> GitObject:
        for pack in self._places()[1]:
            offset = pack.offset(identity)
            if offset is not None:
                return self._entry(pack, offset, deltas)
        return _NOTHING

    def _entry(self, pack: _Pack, offset: int, deltas: int) -> GitObject:
        """An entry, after its deltas."""
        known = self._bases.get((pack.path, offset))
        if known is not None:
            self._bases.move_to_end((pack.path, offset))
            return known
        if deltas <= 0:
            raise ValueError(offset)
        kind, head, begin = pack.entry(offset)
        if kind == _OFFSET_DELTA:
            back, used = _base_distance(head)
            if not 0 < back <= offset:
                raise ValueError(offset)
            base = self._entry(pack, offset - back, deltas - 1)
            begin += used
        elif kind == _HASH_DELTA:
            base = self._packed(head[:20], deltas - 1)
            begin += 20
        else:
            return self._keep(
                pack, offset, GitObject(_KINDS.get(kind, ""), self._inflate(pack.pieces(begin)))
            )
        made = _apply(base.data, self._inflate(pack.pieces(begin)), self._most)
        return self._keep(pack, offset, GitObject(base.kind, made))

    def _keep(self, pack: _Pack, offset: int, found: GitObject) -> GitObject:
        self._bases[pack.path, offset] = found
        self._kept += len(found.data)
        while self._kept > _KEPT_BYTES:
            self._kept -= len(self._bases.popitem(last=False)[1].data)
        return found

    def _inflate(self, pieces: Iterator[bytes] | list[bytes]) -> bytes:
        """The content that begins with these bytes."""
        unpacking = zlib.decompressobj()
        made = bytearray()
        for piece in pieces:
            made += unpacking.decompress(piece, self._most + _SMALL_BYTES - len(made))
            if unpacking.eof:
                return bytes(made)
            if len(made) >= self._most + _SMALL_BYTES:
                break
        raise ValueError(len(made))

    def _places(self) -> tuple[list[str], list[_Pack]]:
        """The folders of objects, and the packs in them."""
        if self._found is None:
            folders = [self._folder]
            for folder in folders:
                named = content(os.path.join(folder, "info", "alternates"), _SMALL_BYTES)
                lines = [line for line in os.fsdecode(named).splitlines() if line]
                more = [os.path.normpath(os.path.join(folder, line)) for line in lines]
                fresh = [item for item in more if item not in folders]
                folders += fresh[: _MOST_ALTERNATES - len(folders)]
            self._found = folders, [pack for folder in folders for pack in self._packs(folder)]
        return self._found

    def _packs(self, folder: str) -> list[_Pack]:
        names: list[str] = []
        with suppress(OSError):
            names = sorted(name for name in os.listdir(f"{folder}/pack") if name.endswith(".idx"))
        stems = [name[: -len(".idx")] for name in names[:_MOST_PACKS]]
        return [_Pack(os.path.join(folder, "pack", stem), self._file) for stem in stems]

    def _file(self, path: str) -> GitFile:
        found = self._open.get(path)
        if found is None:
            while len(self._open) >= _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
            found = self._open[path] = GitFile(path)
        return found


def _close_all(files: OrderedDict[str, GitFile]) -> None:
    while files:
        files.popitem()[1].close()


class _Pack:
    """A pack and its index, without the ends of their names."""

    def __init__(self, path: str, opened: Callable[[str], GitFile]) -> None:
        self.path = path
        self._opened = opened
        self._counts: tuple[int, ...] | None = None

    def offset(self, identity: bytes) -> int | None:
        """The offset of the entry of this hash, or None."""
        file = self._opened(f"{self.path}.idx")
        if self._counts is None:
            if file.read(0, _FAN_OUT) != _INDEX_MAGIC:
                return None
            self._counts = struct.unpack(">256I", file.read(_FAN_OUT, 1024))
        counts, first = self._counts, identity[0]
        low, high = counts[first - 1] if first else 0, counts[first]
        while low < high:
            middle = (low + high) // 2
            found = file.read(_HASHES + 20 * middle, 20)
            if found == identity:
                return _offset_at(file, middle, counts[255])
            low, high = (middle + 1, high) if found < identity else (low, middle)
        return None

    def entry(self, offset: int) -> tuple[int, bytes, int]:
        """Type of the entry, bytes that begin behind its size, and where these begin."""
        data = self._opened(f"{self.path}.pack").read(offset, _HEAD_BYTES)
        used = 0
        while data[used] & 0x80:
            used += 1
        return data[0] >> 4 & 7, data[used + 1 :], offset + used + 1

    def pieces(self, begin: int) -> Iterator[bytes]:
        """The bytes from here on."""
        file = self._opened(f"{self.path}.pack")
        while piece := file.read(begin, _PIECE_BYTES):
            yield piece
            begin += len(piece)


class GitFile:
    """A regular file, which is no link."""

    def __init__(self, path: str) -> None:
        """Open it; `OSError` if it can't be."""
        descriptor = os.open(path, _READ)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(path)
        self._file = os.fdopen(descriptor, "rb", buffering=0)

    def __enter__(self) -> Self:
        """Open while the block lasts."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close it."""
        self._file.close()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, length: int) -> bytes:
        """These bytes, fewer at the end of the file."""
        self._file.seek(offset)
        return self._file.read(length) or b""


def content(path: str, most: int) -> bytes:
    """The content of a small file; nothing if it can't be read."""
    with suppress(OSError, ValueError), GitFile(path) as file:
        if file.size <= most:
            return file.read(0, most)
    return b""


def _offset_at(file: GitFile, place: int, total: int) -> int:
    offsets = _HASHES + 24 * total
    (offset,) = struct.unpack(">I", file.read(offsets + 4 * place, 4))
    if offset < _LARGE:
        return int(offset)
    (large,) = struct.unpack(">Q", file.read(offsets + 4 * total + 8 * (offset - _LARGE), 8))
    return int(large)


def _base_distance(data: bytes) -> tuple[int, int]:
    """The distance from a delta back to its base, and the number of bytes that say so."""
    used, distance = 1, data[0] & 0x7F
    while data[used - 1] & 0x80:
        distance = ((distance + 1) << 7) | (data[used] & 0x7F)
        used += 1
    return distance, used


def _apply(base: bytes, delta: bytes, most: int) -> bytes:
    """The text that a delta makes of its base."""
    at = _skip_size(delta, _skip_size(delta, 0))
    made = bytearray()
    while at < len(delta):
        command = delta[at]
        at += 1
        if not command & 0x80:
            made += delta[at : at + command]
            at += command
            continue
        values = []
        for bits in (command & 0xF, command >> 4 & 7):
            value = 0
            for place in range(4):
                if bits >> place & 1:
                    value |= delta[at] << 8 * place
                    at += 1
            values.append(value)
        start, length = values
        made += base[start : start + (length or 0x10000)]
        if len(made) > most:
            raise ValueError(len(made))
    return bytes(made)


def _skip_size(delta: bytes, at: int) -> int:
    while delta[at] & 0x80:
        at += 1
    return at + 1
