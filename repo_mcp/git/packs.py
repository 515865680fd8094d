"""Packs of a git repository: entries at offsets, and the indexes that find them.

    pack-*.idx          version 2: magic, 256 counts, hashes, checksums, offsets, large offsets
    pack-*.pack         at an offset: type and size, 7 bits a byte, then zlib
    multi-pack-index    names of packs, 256 counts, hashes, packs with offsets, large offsets

Indexes are read by the first byte of a hash, as that is asked for.
"""

from __future__ import annotations

import itertools
import os
import stat
import struct
import zlib
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Self

from index_format.tuples import NamedTuple
from repo_mcp.git.gaps import LARGE
from repo_mcp.git.work import ObjectLimitError, UnpackingWork

_READ: Final = os.O_RDONLY | sum(
    getattr(os, f"O_{flag}", 0) for flag in ("NOFOLLOW", "NONBLOCK", "CLOEXEC", "BINARY")
)
HASH_BYTES: Final = 20
_INDEX_MAGIC: Final = b"\xfftOc\x00\x00\x00\x02"
_COUNTS_BYTES: Final = 256 * 4
# version 1, hashes of SHA-1
_MULTI_MAGIC: Final = b"MIDX\x01\x01"
_MULTI_HEAD: Final = struct.Struct(">6sBBI")
_CHUNK: Final = struct.Struct(">4sQ")
_LARGE: Final = 1 << 31
# packs that are named by one index
_MOST_PACKS: Final = 10_000
_MOST_NAMES_BYTES: Final = 4 << 20
# read at once of an entry; most are smaller
_FIRST_BYTES: Final = 1 << 12
_PIECE_BYTES: Final = 1 << 16
# errors of reading a damaged repository
DAMAGE: Final = (OSError, ValueError, IndexError, struct.error, zlib.error, RecursionError)


class PackEntry(NamedTuple):
    """An entry at an offset: its type, the size that it says, and where its bytes begin."""

    kind: int
    size: int
    head: bytes  # of what follows the size
    begin: int


class GitFile:
    """A regular file, which is no link."""

    def __init__(self, path: str) -> None:
        """Open it; `OSError` if it can't be."""
        descriptor = os.open(path, _READ)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(path)
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._number = descriptor

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
    def stat(self) -> os.stat_result:
        """Size, times and number of the file, as the system has them."""
        return os.fstat(self._file.fileno())

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.stat.st_size

    def read(self, offset: int, length: int) -> bytes:
        """These bytes, fewer at the end of the file."""
        length = min(length, max(self.size - offset, 0))  # a damaged file says any
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        self._file.seek(offset)
        return self._file.read(length) or b""


# what opens a file, or has it open
Opener = Callable[[str], GitFile]


class Pack:
    """A pack of objects, without the end of its name."""

    def __init__(self, path: str, opened: Opener) -> None:
        """Nothing is read yet."""
        self.path = path
        self._opened = opened

    def entry(self, offset: int) -> PackEntry:
        """The entry at this offset."""
        data = self._opened(f"{self.path}.pack").read(offset, _FIRST_BYTES)
        byte = data[0]
        kind, size, shift, used = byte >> 4 & 7, byte & 0xF, 4, 1
        while byte & 0x80:
            byte = data[used]
            size |= (byte & 0x7F) << shift
            shift += 7
            used += 1
        return PackEntry(kind, size, data[used:], offset + used)

    def inflate(self, entry: PackEntry, skipped: int, most: int, work: UnpackingWork) -> bytes:
        """The content of an entry whose bytes begin behind `skipped` more; up to `most` bytes."""
        if entry.size > most:
            raise ObjectLimitError(LARGE)
        unpacking = zlib.decompressobj()
        made = unpacking.decompress(entry.head[skipped:], entry.size + 1)
        read = len(entry.head) - skipped - len(unpacking.unused_data)
        if not unpacking.eof and len(made) <= entry.size:
            made, more = self._rest(unpacking, made, entry)
            read += more
        if len(made) != entry.size:
            raise ValueError(len(made))
        work.add(read, len(made))
        return made

    def _rest(
        self, unpacking: zlib._Decompress, made: bytes, entry: PackEntry
    ) -> tuple[bytes, int]:
        """The whole content, and how many bytes of the pack were read for the rest of it."""
        file = self._opened(f"{self.path}.pack")
        begin = at = entry.begin + len(entry.head)
        parts, count = [made], len(made)
        waiting = unpacking.unconsumed_tail
        while not unpacking.eof and count <= entry.size:
            if not waiting:
                waiting = file.read(at, _PIECE_BYTES)
                at += len(waiting)
                if not waiting:
                    break
            part = unpacking.decompress(waiting, entry.size + 1 - count)
            waiting = unpacking.unconsumed_tail
            parts.append(part)
            count += len(part)
        return b"".join(parts), at - begin


class _Table:
    """A sorted table of hashes in a file, read by their first byte."""

    def __init__(self, path: str, opened: Opener, counts_at: int, hashes_at: int) -> None:
        self.path = path
        self._opened = opened
        self._hashes_at = hashes_at
        counts = opened(path).read(counts_at, _COUNTS_BYTES)
        self._counts: Sequence[int] = (0, *struct.unpack(">256I", counts))
        self._known: dict[int, bytes] = {}

    @property
    def total(self) -> int:
        """Number of hashes."""
        return self._counts[256]

    def place(self, identity: bytes) -> int | None:
        """The place of a hash, or None."""
        first = identity[0]
        begin, end = self._counts[first : first + 2]
        known = self._known.get(first)
        if known is None:
            length = max(end - begin, 0) * HASH_BYTES
            known = self._opened(self.path).read(self._hashes_at + begin * HASH_BYTES, length)
            if len(known) != length:
                raise ValueError(length)
            self._known[first] = known
        low, high = 0, len(known) // HASH_BYTES
        while low < high:
            middle = (low + high) // 2
            found = known[middle * HASH_BYTES : (middle + 1) * HASH_BYTES]
            if found == identity:
                return begin + middle
            low, high = (middle + 1, high) if found < identity else (low, middle)
        return None

    def beginning(self, prefix: str, most: int) -> list[bytes]:
        """Up to `most` hashes that begin with these hexadecimal digits, four at least."""
        low = bytes.fromhex(prefix.ljust(40, "0"))
        first = low[0]
        self.place(low)
        known = self._known[first]
        rows = range(len(known) // HASH_BYTES)
        at = bisect_left(rows, low, key=lambda row: known[row * HASH_BYTES :][:HASH_BYTES])
        found: list[bytes] = []
        for row in rows[at : at + most]:
            identity = known[row * HASH_BYTES : (row + 1) * HASH_BYTES]
            if not identity.hex().startswith(prefix):
                break
            found.append(identity)
        return found

    def numbers(self, at: int, length: int) -> bytes:
        """Bytes of the file."""
        return self._opened(self.path).read(at, length)


class PackIndex:
    """The index of one pack."""

    def __init__(self, pack: Pack, opened: Opener) -> None:
        """Nothing is read yet."""
        self._pack = pack
        self._opened = opened
        self._table: _Table | None = None

    def find(self, identity: bytes) -> tuple[Pack, int] | None:
        """The pack and offset of an object."""
        table = self._open()
        place = table.place(identity)
        if place is None:
            return None
        offsets = len(_INDEX_MAGIC) + _COUNTS_BYTES + 24 * table.total
        (offset,) = struct.unpack(">I", table.numbers(offsets + 4 * place, 4))
        if offset >= _LARGE:
            at = offsets + 4 * table.total + 8 * (offset - _LARGE)
            (offset,) = struct.unpack(">Q", table.numbers(at, 8))
        return self._pack, offset

    def beginning(self, prefix: str, most: int) -> list[bytes]:
        """Up to `most` hashes that begin with these hexadecimal digits."""
        return self._open().beginning(prefix, most)

    def _open(self) -> _Table:
        if self._table is None:
            path, head = f"{self._pack.path}.idx", len(_INDEX_MAGIC)
            if self._opened(path).read(0, head) != _INDEX_MAGIC:
                raise ValueError(path)
            self._table = _Table(path, self._opened, head, head + _COUNTS_BYTES)
        return self._table


class MultiPackIndex:
    """One index of several packs."""

    def __init__(self, folder: str, opened: Opener) -> None:
        """Read its head; one of `DAMAGE` where there is none that can be read."""
        path = os.path.join(folder, "multi-pack-index")
        file = opened(path)
        magic, chunks, _, _ = _MULTI_HEAD.unpack(file.read(0, _MULTI_HEAD.size))
        if magic != _MULTI_MAGIC:
            raise ValueError(path)
        rows = file.read(_MULTI_HEAD.size, _CHUNK.size * (chunks + 1))
        found = list(_CHUNK.iter_unpack(rows))
        places = {name: (at, end - at) for (name, at), (_, end) in itertools.pairwise(found)}
        at, length = places[b"PNAM"]
        names = file.read(at, min(length, _MOST_NAMES_BYTES)).split(b"\0")[:_MOST_PACKS]
        stems = [os.fsdecode(name).removesuffix(".idx") for name in names if name]
        self.packs = [
            Pack(os.path.join(folder, stem), opened) if os.path.basename(stem) == stem else None
            for stem in stems
        ]
        self._table = _Table(path, opened, places[b"OIDF"][0], places[b"OIDL"][0])
        self._offsets = places[b"OOFF"][0]
        self._large = places.get(b"LOFF", (0, 0))[0]

    def find(self, identity: bytes) -> tuple[Pack, int] | None:
        """The pack and offset of an object."""
        place = self._table.place(identity)
        if place is None:
            return None
        number, offset = struct.unpack(">II", self._table.numbers(self._offsets + 8 * place, 8))
        if offset >= _LARGE and self._large:
            at = self._large + 8 * (offset - _LARGE)
            (offset,) = struct.unpack(">Q", self._table.numbers(at, 8))
        pack = self.packs[number]
        return None if pack is None else (pack, offset)

    def beginning(self, prefix: str, most: int) -> list[bytes]:
        """Up to `most` hashes that begin with these hexadecimal digits."""
        return self._table.beginning(prefix, most)


class OpenFiles:
    """Files of a repository that are open, a bounded number of them."""

    def __init__(self, most: int) -> None:
        """None is open yet."""
        self._most = most
        self._open: OrderedDict[str, GitFile] = OrderedDict()

    def __call__(self, path: str) -> GitFile:
        """The file at a path, opened if it is not."""
        found = self._open.get(path)
        if found is None:
            while len(self._open) >= self._most:
                self._open.popitem(last=False)[1].close()
            found = self._open[path] = GitFile(path)
        return found

    def close(self) -> None:
        """Close all."""
        while self._open:
            self._open.popitem()[1].close()
