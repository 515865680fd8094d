"""The file of a walk's memory: `stat.cache` in the folder of an index.

    magic 4 | version u32 |
    msgpack [signature, generation's identity, segments, marks, notes, paths, rows] |
    a block for each folder

It is a headed file (see `side_files`): a forged one could keep a changed file from being read. All
but the blocks is its head, which is in memory; a block is read when it is asked for, so that an
unchanged folder costs no more than its row.

Segments are those of the generation: seals, each with the numbers of dead files (u32). Marks are
texts, and notes pairs of lists of reasons with counts. Paths end with a slash and a NUL each, in
byte order, and rows and blocks follow one another in the same order. A row is 52 bytes:

    digest 16 | hash of the block 16 | u32 length of the path | u32 length of the block |
    u32 count of files | u32 of them shallow | u32 number of its notes

A block is stat keys, fingerprints, numbers of marks (u16) and names, joined by NUL.
"""

from __future__ import annotations

import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import Any, BinaryIO, Final, cast

import msgpack

from index_format.blake2 import blake2b
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.indexing.walk.known_folders import DIGEST_BYTES
from repo_mcp.safety.sandbox import KEY_BYTES

_NAME: Final = "stat.cache"
_MAGIC: Final = b"rmsc"
_VERSION: Final = 6
_HEAD: Final = struct.Struct("<4sI")
# about ten million files
_MAX_BYTES: Final = 1 << 30
_DAMAGE: Final = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    struct.error,
    msgpack.UnpackException,
)
FINGERPRINT_BYTES: Final = 16
MARK_BYTES: Final = 2
_NO_DIGEST: Final = bytes(DIGEST_BYTES)
_HASH_BYTES: Final = 16
_ROW: Final = struct.Struct("<16s16s5I")
_ENCODING: Final = ("utf-8", "surrogatepass")
# blocks that are copied together, and that are read together where one follows the other
_PIECE_BYTES: Final = 1 << 20
_AHEAD_BYTES: Final = 1 << 18


class DamagedBlocksError(Exception):
    """Blocks are not those that the rows were written with: nothing is known of any file."""


class PackedFiles(NamedTuple):
    """The files of a folder: names joined by NUL, and as many keys, fingerprints and marks."""

    names: bytes
    keys: bytes
    fingerprints: bytes
    marks: bytes

    @property
    def file_count(self) -> int:
        """Count of files."""
        return len(self.marks) // MARK_BYTES

    def encode(self) -> bytes:
        """The block."""
        return b"".join((self.keys, self.fingerprints, self.marks, self.names))

    @classmethod
    def decode(cls, block: bytes, count: int) -> PackedFiles:
        """The files of a block; raises `DamagedBlocksError` if it has no such number of names."""
        keys = count * KEY_BYTES
        fingerprints = keys + count * FINGERPRINT_BYTES
        marks = fingerprints + count * MARK_BYTES
        found = cls(
            block[marks:], block[:keys], block[keys:fingerprints], block[fingerprints:marks]
        )
        if (found.names.count(b"\0") + 1 if found.names else 0) != count:
            raise DamagedBlocksError
        return found


Reasons = tuple[tuple[str, int], ...]


class FolderNotes(NamedTuple):
    """Counts of a folder's files that are left out, before and after they were read."""

    left_out: Reasons = ()
    refused: Reasons = ()


NO_NOTES: Final = FolderNotes()


class BlockFile:
    """Bytes behind a position of an open file; in memory where files can't be read by position."""

    def __init__(self, file: BinaryIO, begin: int) -> None:
        self._begin = begin
        self._descriptor = -1
        self._data = b""
        # where the last read ended, and what was read ahead, with its position
        self._end = -1
        self._ahead = (0, b"")
        if hasattr(os, "pread"):
            self._descriptor = os.dup(file.fileno())
        else:  # an open file could not be replaced there either
            file.seek(begin)
            self._data = file.read()

    def __del__(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def read(self, at: int, length: int) -> bytes:
        """So many bytes; raises `DamagedBlocksError` if there are fewer."""
        if self._descriptor < 0:
            found = self._data[at : at + length]
        else:
            begin, ahead = self._ahead
            if not (begin <= at and at + length <= begin + len(ahead)):
                begin, ahead = at, self._pread(at, length, follows=at == self._end)
                self._ahead = begin, ahead
            found = ahead[at - begin : at - begin + length]
            self._end = at + length
        if len(found) != length:
            raise DamagedBlocksError
        return found

    def _pread(self, at: int, length: int, *, follows: bool) -> bytes:
        count = max(length, _AHEAD_BYTES) if follows else length
        try:
            return os.pread(self._descriptor, count, self._begin + at)
        except OSError as error:
            raise DamagedBlocksError from error


class StoredFolders:
    """Folders in byte order of their paths; read only."""

    def __init__(
        self,
        paths: bytes = b"",
        rows: bytes = b"",
        notes: Sequence[FolderNotes] = (NO_NOTES,),
        blocks: BlockFile | None = None,
    ) -> None:
        """Check rows against paths and notes; raises ValueError or `struct.error`."""
        columns = list(zip(*_ROW.iter_unpack(rows), strict=True)) or [()] * 7
        _, _, path_lengths, block_lengths, counts, shallow, numbers = columns
        self.paths = paths
        self.rows = rows
        self.notes = notes
        self._blocks = blocks
        self._path_starts = array("Q", accumulate(path_lengths, initial=0))
        self._block_starts = array("Q", accumulate(block_lengths, initial=0))
        self.file_count = sum(counts)
        self.shallow_count = sum(shallow)
        # the number of the folder that was found last
        self._found = -1
        # folders with notes or shallow files
        self.notable = array(
            "I", (at for at, pair in enumerate(zip(shallow, numbers, strict=True)) if any(pair))
        )
        if self._path_starts[-1] != len(paths) or any(at >= len(notes) for at in numbers):
            raise ValueError(len(paths))
        refused = [sum(count for _, count in note.refused) for note in notes]
        self.refused_count = sum(refused[number] for number in numbers)
        names = self.list_paths()
        if len(names) != len(self) or any(a >= b for a, b in pairwise(names)):
            raise ValueError(len(names))

    def __len__(self) -> int:
        """Count of folders."""
        return len(self.rows) // _ROW.size

    @property
    def block_bytes(self) -> int:
        """Length of all blocks."""
        return int(self._block_starts[-1])

    def list_paths(self) -> list[str]:
        """All paths, in order."""
        return self.paths.decode(*_ENCODING).split("\0")[:-1]

    def list_digests(self) -> list[bytes]:
        """A digest for each folder; empty for one without."""
        size = _ROW.size
        digests = (self.rows[at : at + DIGEST_BYTES] for at in range(0, len(self.rows), size))
        return [b"" if digest == _NO_DIGEST else digest for digest in digests]

    def path(self, at: int) -> str:
        """The path of a folder."""
        return self._path_bytes(at).decode(*_ENCODING)

    def _path_bytes(self, at: int) -> bytes:
        return self.paths[self._path_starts[at] : self._path_starts[at + 1] - 1]

    def lower_bound(self, folder: str) -> int:
        """The number of the first folder that is not before this one."""
        return bisect_left(range(len(self)), folder.encode(*_ENCODING), key=self._path_bytes)

    def find(self, folder: str) -> int:
        """The number of a folder, or -1."""
        at, path = self._found + 1, folder.encode(*_ENCODING)
        # they are often asked for in order
        if not (at < len(self) and self._path_bytes(at) == path):
            at = self.lower_bound(folder)
            if not (at < len(self) and self._path_bytes(at) == path):
                return -1
        self._found = at
        return at

    def digest(self, at: int) -> bytes:
        """The digest of a folder; empty if it has none."""
        found = self.rows[at * _ROW.size : at * _ROW.size + DIGEST_BYTES]
        return b"" if found == _NO_DIGEST else found

    def _row(self, at: int) -> tuple[bytes, bytes, int, int, int, int, int]:
        return cast(
            "tuple[bytes, bytes, int, int, int, int, int]",
            _ROW.unpack_from(self.rows, at * _ROW.size),
        )

    def notes_of(self, at: int) -> tuple[FolderNotes, int]:
        """The notes of a folder, and how many of its files are shallow."""
        *_, shallow, number = self._row(at)
        return self.notes[number], shallow

    def files(self, at: int) -> PackedFiles:
        """The files of a folder; raises `DamagedBlocksError`."""
        _, expected, _, length, count, *_ = self._row(at)
        if self._blocks is None:
            raise DamagedBlocksError
        block = self._blocks.read(self._block_starts[at], length)
        if _hash_of(block) != expected:
            raise DamagedBlocksError
        return PackedFiles.decode(block, count)

    def pieces(self, first: int, end: int) -> Iterator[bytes]:
        """The blocks of these folders, as they are."""
        at, last = self._block_starts[first], self._block_starts[end]
        while at < last and self._blocks is not None:
            piece = self._blocks.read(at, min(_PIECE_BYTES, last - at))
            yield piece
            at += len(piece)

    def slice(self, first: int, end: int) -> tuple[bytes, bytes]:
        """Paths and rows of these folders."""
        paths = self.paths[self._path_starts[first] : self._path_starts[end]]
        return paths, self.rows[first * _ROW.size : end * _ROW.size]


class FolderWriter:
    """Collects folders in order: those of another table as they are, and new ones."""

    def __init__(self, before: StoredFolders) -> None:
        self._before = before
        self.paths = bytearray()
        self.rows = bytearray()
        self.notes = list(before.notes)
        self._numbers = {notes: number for number, notes in enumerate(self.notes)}
        # runs of folders of the table before, and blocks of new ones
        self._parts: list[tuple[int, int] | bytes] = []

    def copy(self, first: int, end: int) -> None:
        """Add folders of the table before."""
        if first < end:
            paths, rows = self._before.slice(first, end)
            self.paths += paths
            self.rows += rows
            self._parts.append((first, end))

    def add(
        self, folder: str, digest: bytes, files: PackedFiles, notes: FolderNotes, shallow: int
    ) -> None:
        """Add a new folder."""
        path = folder.encode(*_ENCODING) + b"\0"
        block = files.encode()
        number = self._numbers.setdefault(notes, len(self.notes))
        if number == len(self.notes):
            self.notes.append(notes)
        self.paths += path
        self.rows += _ROW.pack(
            digest, _hash_of(block), len(path), len(block), files.file_count, shallow, number
        )
        self._parts.append(block)

    def drop_unused_notes(self) -> None:
        """Number notes anew, once most of them are of no folder."""
        rows = list(_ROW.iter_unpack(self.rows))
        used = sorted({row[-1] for row in rows} | {0})
        if len(used) * 2 >= len(self.notes):
            return
        numbers = {old: new for new, old in enumerate(used)}
        self.notes = [self.notes[old] for old in used]
        self.rows = bytearray(b"".join(_ROW.pack(*row[:-1], numbers[row[-1]]) for row in rows))

    def blocks(self) -> Iterator[bytes]:
        """The blocks of all folders."""
        for part in self._parts:
            if isinstance(part, bytes):
                yield part
            else:
                yield from self._before.pieces(*part)


def _hash_of(block: bytes) -> bytes:
    return blake2b(block, digest_size=_HASH_BYTES).digest()


class SavedMemory(NamedTuple):
    """A memory as it was saved."""

    generation: str
    segments: Mapping[str, Sequence[int]]
    marks: Sequence[str]
    folders: StoredFolders


def read(index_dir: str, signature: str) -> SavedMemory | None:
    """The saved memory; None if it is missing, damaged or of another signature."""
    with suppress(*_DAMAGE), side_files.open_headed(index_dir, _NAME, _MAX_BYTES) as (head, file):
        record = _record_of(head)
        if record is not None and record[0] == signature:
            _, generation, segments, marks, notes, paths, rows = record
            folders = _decode(notes, paths, rows, file)
            _check_marks(marks)
            return SavedMemory(_text(generation), _decode_segments(segments), marks, folders)
    return None


def read_folders(index_dir: str) -> bytes:
    """The folders of the saved memory, of whatever signature: each with its slash and a NUL."""
    with suppress(*_DAMAGE), side_files.open_headed(index_dir, _NAME, _MAX_BYTES) as (head, _):
        record = _record_of(head)
        if record is not None:
            *_, paths, _ = record
            return _bytes(paths)
    return b""


def write(
    index_dir: str,
    signature: str,
    generation: str,
    segments: Mapping[str, Sequence[int]],
    marks: Sequence[str],
    folders: FolderWriter,
) -> None:
    """Replace the saved memory atomically; raises `OSError` or `DamagedBlocksError`."""
    packed = {seal: _pack_numbers(dead) for seal, dead in segments.items()}
    record: list[object] = [signature, generation, packed, marks, folders.notes]
    record += [bytes(folders.paths), bytes(folders.rows)]
    head = _HEAD.pack(_MAGIC, _VERSION)
    head += msgpack.packb(record, unicode_errors="surrogatepass")
    side_files.put_headed(index_dir, _NAME, head, folders.blocks())


def delete(index_dir: str) -> None:
    """Delete the saved memory: the next refresh reads every file."""
    side_files.forget(index_dir, _NAME)


def _record_of(head: bytes) -> list[Any] | None:
    """The record in a head; None if another version wrote it."""
    if _HEAD.unpack_from(head) != (_MAGIC, _VERSION):
        return None
    return _list(msgpack.unpackb(head[_HEAD.size :], unicode_errors="surrogatepass"))


def _decode(notes: object, paths: object, rows: object, file: BinaryIO) -> StoredFolders:
    """The stored folders; raises one of the errors of damage."""
    begin = file.tell()
    told = [FolderNotes(*map(_reasons, _pair(item))) for item in _list(notes)]
    if told[0] != NO_NOTES:
        raise ValueError(told[0])
    found = StoredFolders(_bytes(paths), _bytes(rows), told, BlockFile(file, begin))
    if found.block_bytes != os.fstat(file.fileno()).st_size - begin:
        raise ValueError(begin)
    return found


def _pack_numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _decode_segments(segments: object) -> dict[str, tuple[int, ...]]:
    if not isinstance(segments, dict):
        raise TypeError(segments)
    return {
        _text(seal): struct.unpack(f"<{len(dead) // 4}I", dead)
        for seal, dead in zip(segments, map(_bytes, segments.values()), strict=True)
    }


def _check_marks(marks: object) -> None:
    if len({_text(mark).index(":") >= 0 and mark for mark in _list(marks)}) != len(_list(marks)):
        raise ValueError(marks)


def _reasons(value: object) -> Reasons:
    return tuple((_text(reason), _count(count)) for reason, count in map(_pair, _list(value)))


def _pair(value: object) -> tuple[object, object]:
    one, other = _list(value)
    return one, other


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(value)
    return value
