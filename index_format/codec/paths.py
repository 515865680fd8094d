"""The paths of a segment's files: its folders, and each file's folder and name.

    PATH  folders u32 | bytes of their paths u32 | column per folder: bytes of its path | columns
          per file: number of its folder, bytes of its name | the folders' paths | the files' names

A folder's path ends with its slash, and is empty for files without one. Folders ascend by their
bytes, each once; files by those of their whole paths, which are UTF-8. So a folder's files stand
before, between and behind those of its subfolders.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import add, lt
from typing import Final

import numpy as np

from index_format.codec.bits import I64
from index_format.codec.frame import FramedFile
from index_format.codec.number_columns import NumberColumns, encode_columns
from index_format.layout import SectionTag
from index_format.native import find_names
from index_format.records import Record

_HEADER_BYTES: Final = 8
# the bits that tell a byte of UTF-8 that follows another one of its character
_KIND: Final = 0b1100_0000
_FOLLOWING: Final = 0b1000_0000
# with fewer paths than this per wanted one, all are looked through
_LOOKUPS_PER_SCAN: Final = 16


def encode_paths(paths: Sequence[bytes]) -> bytes:
    """The PATH section."""
    cuts = [path.rfind(b"/") + 1 for path in paths]
    owners = [path[:cut] for path, cut in zip(paths, cuts, strict=True)]
    names = [path[cut:] for path, cut in zip(paths, cuts, strict=True)]
    folders = sorted(set(owners))
    numbers = {folder: number for number, folder in enumerate(folders)}
    lengths = _lengths(folders)
    header = np.array([len(folders), lengths.sum()], dtype="<u4")
    of_files = np.array([numbers[owner] for owner in owners], dtype=np.int64), _lengths(names)
    columns = header.tobytes() + encode_columns(lengths) + encode_columns(*of_files)
    return columns + b"".join(folders) + b"".join(names)


def _lengths(texts: Sequence[bytes]) -> I64:
    return np.array([len(text) for text in texts], dtype=np.int64)


class _Columns(Record):
    """The section as it was read; names of files are parts of its text between edges.

    Single numbers are read sooner from memory than from arrays.
    """

    text: bytes
    folders: Sequence[bytes]
    folder_of: memoryview
    edges: memoryview


class PathTable:
    """Reads the paths of a segment's files; nothing is read before the first question."""

    def __init__(self, frame: FramedFile, files: int, mount: bytes = b"") -> None:
        """Remember where the paths are, and the folder that all are in, with a slash."""
        self._frame = frame
        self._count = files
        self._section = frame.section(SectionTag.PATHS)
        self._mount = mount
        self._all: list[bytes] | None = None
        self._columns: _Columns | None = None
        self._is_ordered = False

    def mounted(self, folder: bytes) -> PathTable:
        """The same paths in a folder, which ends with a slash."""
        return PathTable(self._frame, self._count, folder + self._mount)

    @property
    def all(self) -> list[bytes]:
        """All paths in byte order."""
        if self._all is None:
            self._all = self.list_all()
            self._columns = None
        return self._all

    def list_all(self) -> list[bytes]:
        """All paths in byte order, for one look at them: they are not kept."""
        if self._all is not None:
            return self._all
        columns = self._columns or self._read()
        text = columns.text
        names = [text[begin:end] for begin, end in pairwise(columns.edges.tolist())]
        folders = map(columns.folders.__getitem__, columns.folder_of.tolist())
        paths = list(map(add, folders, names))
        if not self._is_ordered:
            self._check(columns, paths)
            self._is_ordered = True
        return paths

    def each(self) -> Iterator[bytes]:
        """All paths in byte order, each made when it is asked for."""
        self._check_order()
        return map(self._at, range(self._count))

    def path(self, file: int) -> bytes:
        """The path of one file, without a look at the others."""
        path = self._at(file)
        if not _is_text(path):
            raise self._frame.corrupt(self._section, 0, f"the path of file {file}", "UTF-8")
        return path

    def paths_of(self, files: Iterable[int]) -> list[str]:
        """The paths of files, without a look at the others."""
        if self._all is not None:
            paths = [self._all[file] for file in files]
        else:
            columns = self._load()
            text, edges, folders = columns.text, columns.edges, columns.folders
            folder_of = columns.folder_of
            paths = [
                folders[folder_of[file]] + text[edges[file] : edges[file + 1]] for file in files
            ]
        try:
            return [path.decode("utf-8", "surrogatepass") for path in paths]
        except UnicodeDecodeError as error:
            raise self._frame.corrupt(self._section, 0, "a path", "UTF-8") from error

    def find(self, path: bytes) -> int | None:
        """Number of the file with this path.

        The paths that it is compared with have to ascend; a look at all takes longer by far.
        """
        if not path.startswith(self._mount):
            return None
        low, high = 0, self._count
        before, behind = b"", b""
        while low < high:
            middle = (low + high) // 2
            at = self._at(middle)
            if at <= before or (behind and at >= behind):
                raise self._frame.corrupt(self._section, 0, "paths", "ascending order")
            if at == path:
                return middle
            if at < path:
                low, before = middle + 1, at
            else:
                high, behind = middle, at
        return None

    def find_all(self, paths: Sequence[bytes]) -> set[int]:
        """Numbers of the files that have one of these paths, which are in order."""
        if not (paths and self._count):
            return set()
        self._check_order()
        first, last = self._at(0), self._at(self._count - 1)
        inside = paths[bisect_left(paths, first) : bisect_right(paths, last)]
        if len(inside) * _LOOKUPS_PER_SCAN >= self._count:
            wanted = set(inside)
            found = enumerate(self.list_all())
            return {file for file, path in found if path in wanted}
        return {file for path in inside if (file := self.find(path)) is not None}

    def find_names(self, wanted: str, limit: int, *, whole: bool) -> list[tuple[str, int]]:
        """Names in small letters that may be within `limit` edits of one, and their files.

        Names that are not whole have no extension.
        """
        columns = self._load()
        text, edges = columns.text, np.frombuffer(columns.edges, dtype=np.int64)
        encoded = wanted.encode("utf-8", "surrogatepass")
        rows = np.frombuffer(find_names(text, edges, encoded, limit, whole), dtype=np.int64)
        return [
            (text[begin:end].lower().decode("utf-8", "replace"), file)
            for file, begin, end in rows.reshape(-1, 3).tolist()
        ]

    def named(self, parts: Sequence[bytes]) -> set[int]:
        """Numbers of the files with one of these parts, in small letters, in their own names."""
        if b"" in parts:
            return set(range(self._count))
        columns = self._load()
        text, edges = columns.text.lower(), columns.edges
        found: set[int] = set()
        for part in parts:
            at = text.find(part, edges[0])
            while 0 <= at < len(text):
                file = bisect_right(edges, at) - 1
                if at + len(part) <= edges[file + 1]:
                    found.add(file)
                    at = text.find(part, edges[file + 1])
                else:  # it goes on in the next name
                    at = text.find(part, at + 1)
        return found

    def _at(self, file: int) -> bytes:
        if self._all is not None:
            return self._all[file]
        columns = self._columns or self._load()
        name = columns.text[columns.edges[file] : columns.edges[file + 1]]
        return columns.folders[columns.folder_of[file]] + name

    def _load(self) -> _Columns:
        """The section; it is kept while the paths are not."""
        columns = self._columns or self._read()
        if self._all is None:
            self._columns = columns
        return columns

    def _read(self) -> _Columns:
        frame, section = self._frame, self._section
        frame.expect([(section, 0, section.length)])
        header = bytes(frame.read(section, 0, _HEADER_BYTES))
        count, size = np.frombuffer(header, dtype="<u4").tolist()
        if count > self._count:
            raise frame.corrupt(section, 0, f"{count} folders", f"{self._count} or fewer")
        of_folders = NumberColumns(frame, section, count, 1, _HEADER_BYTES, is_last=False)
        of_files = NumberColumns(frame, section, self._count, 2, of_folders.end, is_last=False)
        text = bytes(frame.read(section, of_files.end))
        bounds = of_folders.edges(0, size).tolist()
        edges = of_files.edges(1, len(text) - size) + size
        folder_of = of_files.column(0)
        if (folder_of >= count).any():
            raise frame.corrupt(section, of_folders.end, int(folder_of.max()), f"below {count}")
        folders = [self._mount + text[begin:end] for begin, end in pairwise(bounds)]
        return _Columns(text, folders, folder_of.data, edges.data)

    def _check_order(self) -> None:
        if not self._is_ordered:
            self.list_all()

    def _check(self, columns: _Columns, paths: Sequence[bytes]) -> None:
        """The paths ascend, and are UTF-8: their text is, and no part begins amidst a letter."""
        if not all(map(lt, paths, paths[1:])) or b"" in paths[:1]:
            raise self._frame.corrupt(self._section, 0, "paths", "ascending order")
        lengths = np.array([0, *map(len, columns.folders)], dtype=np.int64)
        lengths[1:] -= len(self._mount)
        edges = np.concatenate([np.cumsum(lengths), np.frombuffer(columns.edges, dtype=np.int64)])
        begins = np.frombuffer(columns.text, dtype=np.uint8)[edges[edges < len(columns.text)]]
        if not _is_text(columns.text) or (begins & _KIND == _FOLLOWING).any():
            raise self._frame.corrupt(self._section, 0, "paths", "UTF-8")


def _is_text(data: bytes) -> bool:
    """True if all is UTF-8, surrogates included."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
