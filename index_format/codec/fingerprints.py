"""The file table: a segment's files in path order, with fingerprints of their content.

    PATH  offset u32 per path and for the end | the paths' bytes
    FPRT  per file: fingerprint 16 bytes; then per file: size u64
    FCHK  first chunk u32 per file and for the end
    FTOT  per field, per file: count of tokens u32

Paths are UTF-8 and ascend by their bytes; the chunks of a file follow each other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from operator import lt
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32, U64, exclusive_sum, steps
from index_format.codec.frame import FramedFile
from index_format.layout import SectionTag
from index_format.native import find_names
from index_format.records import Record

FINGERPRINT_BYTES: Final = 16
# the bits that tell a byte of UTF-8 that follows another one of its character
_KIND: Final = 0b1100_0000
_FOLLOWING: Final = 0b1000_0000
# with fewer paths than this per wanted one, all are looked through
_LOOKUPS_PER_SCAN: Final = 16


class FileColumns(Record):
    """The files of a segment in path order; `totals` is (fields, files)."""

    paths: Sequence[bytes]
    fingerprints: Sequence[bytes]
    sizes: U64
    chunk_counts: I64
    totals: U32


class FileRecord(Record):
    """One file as stored."""

    path: str
    fingerprint: bytes
    size: int
    first_chunk: int
    last_chunk: int  # one past the end


def encode_paths(paths: Sequence[bytes]) -> bytes:
    """The PATH section."""
    offsets = exclusive_sum(np.array([len(path) for path in paths], dtype=np.int64))
    return offsets.astype("<u4").tobytes() + b"".join(paths)


def encode_fingerprints(columns: FileColumns) -> bytes:
    """The FPRT section."""
    return b"".join(columns.fingerprints) + columns.sizes.astype("<u8").tobytes()


def encode_first_chunks(columns: FileColumns) -> bytes:
    """The FCHK section."""
    return exclusive_sum(columns.chunk_counts).astype("<u4").tobytes()


class FileTable:
    """Reads the files of a segment; paths are read at the first question about one."""

    def __init__(self, frame: FramedFile, files: int, chunks: int, fields: int) -> None:
        """Check that the fixed-size sections have the segment's counts."""
        self._frame = frame
        self.count = files
        self._chunks = chunks
        self._path_section = frame.section(SectionTag.PATHS)
        self._prints = frame.section(SectionTag.FINGERPRINTS)
        self._first = frame.section(SectionTag.FIRST_CHUNKS)
        self._totals = frame.section(SectionTag.FILE_TOTALS)
        for section, size in (
            (self._prints, files * (FINGERPRINT_BYTES + 8)),
            (self._first, (files + 1) * 4),
            (self._totals, fields * files * 4),
        ):
            if section.length != size:
                raise frame.corrupt(section, 0, section.length, f"{size} bytes")
        self._paths: list[bytes] | None = None
        self._path_data: tuple[I64, bytes] | None = None
        self._is_ordered = False
        self._bounds: I64 | None = None

    @property
    def paths(self) -> list[bytes]:
        """All paths in byte order."""
        if self._paths is None:
            self._paths = self._read_paths()
            self._path_data = None
        return self._paths

    def list_paths(self) -> list[bytes]:
        """All paths in byte order, for one look at them: they are not kept."""
        if self._paths is not None:
            return self._paths
        known = self._path_data
        paths = self._read_paths()
        self._path_data = known
        return paths

    def each_path(self) -> Iterator[bytes]:
        """All paths in byte order, each made when it is asked for."""
        self._check_order()
        if self._paths is not None:
            yield from self._paths
            return
        bounds, text = self._path_text()
        for begin, end in pairwise(bounds.data):
            yield text[begin:end]

    @property
    def bounds(self) -> I64:
        """First chunk of each file, and for the end."""
        if self._bounds is None:
            bounds = np.frombuffer(self._frame.read(self._first), dtype="<u4").astype(np.int64)
            if bounds[0] or bounds[-1] != self._chunks or (steps(bounds) < 0).any():
                raise self._frame.corrupt(self._first, 0, "first chunks", f"0 to {self._chunks}")
            self._bounds = bounds
        return self._bounds

    def find(self, path: bytes) -> int | None:
        """Number of the file with this path."""
        self._check_order()
        at = bisect_left(range(self.count), path, key=self._path_at)
        return at if at < self.count and self._path_at(at) == path else None

    def find_all(self, paths: Sequence[bytes]) -> set[int]:
        """Numbers of the files that have one of these paths, which are in order."""
        if not (paths and self.count):
            return set()
        self._check_order()
        first, last = self._path_at(0), self._path_at(self.count - 1)
        inside = paths[bisect_left(paths, first) : bisect_right(paths, last)]
        if len(inside) * _LOOKUPS_PER_SCAN >= self.count:
            wanted = set(inside)
            found = enumerate(self.list_paths())
            return {file for file, path in found if path in wanted}
        return {file for path in inside if (file := self.find(path)) is not None}

    def _check_order(self) -> None:
        if self._paths is None and not self._is_ordered:
            self._read_paths()

    def _path_at(self, file: int) -> bytes:
        if self._paths is not None:
            return self._paths[file]
        bounds, text = self._path_text()
        return text[bounds[file] : bounds[file + 1]]

    def record(self, file: int) -> FileRecord:
        """Everything about one file."""
        data = self._frame.read(self._prints, file * FINGERPRINT_BYTES, FINGERPRINT_BYTES)
        size = self._frame.read(self._prints, self.count * FINGERPRINT_BYTES + file * 8, 8)
        path = self.paths[file].decode("utf-8", "surrogatepass")
        first, last = self.bounds[file : file + 2].tolist()
        return FileRecord(path, bytes(data), int.from_bytes(size, "little"), first, last)

    def file_of(self, chunk: int) -> int:
        """Number of the file that holds a chunk."""
        return bisect_right(self._edges, chunk) - 1

    @cached_property
    def _edges(self) -> memoryview:
        """The same as `bounds`, of which single numbers are read sooner."""
        return self.bounds.data

    def fingerprint(self, file: int) -> bytes:
        """Fingerprint of one file."""
        return bytes(self._frame.read(self._prints, file * FINGERPRINT_BYTES, FINGERPRINT_BYTES))

    def fingerprints(self) -> list[bytes]:
        """Fingerprints of all files."""
        data = bytes(self._frame.read(self._prints, 0, self.count * FINGERPRINT_BYTES))
        return [data[at : at + FINGERPRINT_BYTES] for at in range(0, len(data), FINGERPRINT_BYTES)]

    def sizes(self) -> U64:
        """Sizes of all files."""
        start = self.count * FINGERPRINT_BYTES
        return np.frombuffer(self._frame.read(self._prints, start), dtype="<u8")

    def totals(self, fields: int) -> U32:
        """Token counts, (fields, files)."""
        data = self._frame.read(self._totals)
        return np.frombuffer(data, dtype="<u4").reshape(fields, self.count)

    def path(self, file: int) -> bytes:
        """The path of one file, without a look at the others."""
        if self._paths is not None:
            return self._paths[file]
        bounds, text = self._path_text()
        begin, end = bounds[file : file + 2].tolist()
        path = text[begin:end]
        try:
            path.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise self._frame.corrupt(self._path_section, begin, "a path", "UTF-8") from error
        return path

    def paths_of(self, files: Sequence[int]) -> list[str]:
        """The paths of files, without a look at the others."""
        if self._paths is not None:
            paths = [self._paths[file] for file in files]
        else:
            bounds, text = self._path_text()
            # single numbers are read sooner from there
            edges = bounds.data
            paths = [text[edges[file] : edges[file + 1]] for file in files]
        try:
            return [path.decode("utf-8", "surrogatepass") for path in paths]
        except UnicodeDecodeError:
            return [self.path(file).decode("utf-8", "surrogatepass") for file in files]

    def find_names(self, wanted: str, limit: int, *, whole: bool) -> list[tuple[str, int]]:
        """Names in small letters that may be within `limit` edits of one, and their files.

        Names that are not whole have no extension.
        """
        known = self._path_data
        bounds, text = self._path_text()
        if self._paths is not None:  # nobody else asks for the text then
            self._path_data = known
        encoded = wanted.encode("utf-8", "surrogatepass")
        rows = np.frombuffer(find_names(text, bounds, encoded, limit, whole), dtype=np.int64)
        return [
            (text[begin:end].lower().decode("utf-8", "replace"), file)
            for file, begin, end in rows.reshape(-1, 3).tolist()
        ]

    def _path_text(self) -> tuple[I64, bytes]:
        """The offset of each path and of the end; and all paths' bytes."""
        if self._path_data is None:
            section = self._path_section
            data = self._frame.read(section)
            fixed = (self.count + 1) * 4
            if len(data) < fixed:
                raise self._frame.corrupt(section, 0, len(data), f"{fixed} bytes")
            bounds = np.frombuffer(data[:fixed], dtype="<u4").astype(np.int64)
            text = bytes(data[fixed:])
            ascending = (steps(bounds) >= 0).all()
            if bounds[0] or bounds[-1] != len(text) or not ascending:
                raise self._frame.corrupt(section, 0, int(bounds[-1]), f"{len(text)} bytes")
            self._path_data = bounds, text
        return self._path_data

    def _read_paths(self) -> list[bytes]:
        section = self._path_section
        bounds, text = self._path_text()
        paths = [text[a:b] for a, b in pairwise(bounds.tolist())]
        if not all(map(lt, paths, paths[1:])) or b"" in paths[:1]:
            raise self._frame.corrupt(section, 0, "paths", "ascending order")
        begins = np.frombuffer(text, np.uint8)[bounds[:-1]]
        if not _is_text(text) or (begins & _KIND == _FOLLOWING).any():
            raise self._frame.corrupt(section, 0, "paths", "UTF-8")
        self._is_ordered = True
        return paths


def _is_text(data: bytes) -> bool:
    """True if all is UTF-8, surrogates included."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
