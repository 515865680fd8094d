"""Texts of files as they were indexed, kept in memory so that most need not be read again.

They only serve to pass over files without a match, as the index does, and are just as old: what is
shown is always read from the file as it is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format.segment.reader import SegmentReader
from repo_mcp.search.keywords.lines import Rows
from repo_mcp.text.files import fingerprint

I64 = npt.NDArray[np.int64]

# of one tree: the text of a million lines or more
MOST_BYTES: Final = 48 << 20
_UNKNOWN: Final = -1
_LINE_FEED: Final = 10


class Sieve(NamedTuple):
    """What text in small letters must hold to be worth a look: all on one line, or anywhere."""

    needles: tuple[bytes, ...]
    on_a_line: bool

    def passes(self, text: bytearray, begin: int, end: int) -> bool:
        """Whether this part of a text does, which is made of whole lines."""
        at = begin
        while True:
            first, last = end, at
            for needle in self.needles:
                place = text.find(needle, at, end)
                if place < 0:
                    return False
                first, last = min(first, place), max(last, place)
            if first == last or not self.on_a_line:
                return True
            line = text.rfind(b"\n", at, last) + 1
            if first >= line:
                return True
            at = line


class KeptTexts:
    """What is kept of one segment: one long text, and where in it files and chunks lie."""

    def __init__(self, reader: SegmentReader) -> None:
        """Keep nothing yet."""
        self._bounds = reader.files.bounds
        self._lines = reader.chunks.all_lines().astype(np.int64)
        self._text = bytearray()
        self._files = np.full((reader.file_count, 2), _UNKNOWN, np.int32)
        self._chunks = np.full((reader.chunk_count, 2), _UNKNOWN, np.int32)

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return len(self._text)

    def holds(self, number: int) -> bool:
        """Whether a file is kept."""
        return bool(self._files[number, 0] != _UNKNOWN)

    def add(self, number: int, rows: bytes) -> None:
        """Keep the lines of a file, each with its end, unless it has not those that are indexed."""
        begin, (first, stop) = len(self._text), self._bounds[number : number + 2].tolist()
        lines = self._lines[first:stop]
        ends = np.flatnonzero(np.frombuffer(rows, dtype=np.uint8) == _LINE_FEED) + 1
        starts = begin + np.concatenate([np.zeros(1, np.int64), ends])
        if len(lines) and not (lines.min() >= 1 and lines.max() < len(starts)):
            return
        self._text += rows
        self._chunks[first:stop] = np.column_stack([starts[lines[:, 0] - 1], starts[lines[:, 1]]])
        self._files[number] = begin, len(self._text)

    def files_worth(self, files: I64, sieve: Sieve) -> Iterator[int]:
        """Those of some files that the sieve does not hold back, or that are not kept."""
        return self._worth(files, self._files[files], sieve)

    def owners_worth(self, owners: I64, chunks: I64, sieve: Sieve) -> Iterator[int]:
        """The files with one such chunk, of which the owners are given."""
        return self._worth(owners, self._chunks[chunks], sieve)

    def _worth(self, files: I64, places: npt.NDArray[np.int32], sieve: Sieve) -> Iterator[int]:
        text, passes, done = self._text, sieve.passes, _UNKNOWN
        for number, (begin, end) in zip(files.tolist(), places.tolist(), strict=True):
            if number != done and (begin < 0 or passes(text, begin, end)):
                done = number
                yield number


class KeywordTexts:
    """Texts of a tree; the first ones that were read, until there is no more room."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self.most = MOST_BYTES
        self._kept: WeakKeyDictionary[SegmentReader, KeptTexts] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def holds(self, reader: SegmentReader, number: int) -> bool:
        """Whether a file is kept."""
        kept = self.of(reader)
        return kept is not None and kept.holds(number)

    def of(self, reader: SegmentReader) -> KeptTexts | None:
        """What is kept of a segment, if anything is."""
        return self._kept.get(reader)

    def keep(self, reader: SegmentReader, number: int, data: bytes, rows: Rows | None) -> None:
        """Keep the lines of a file that was read just now, if it is what was indexed."""
        if not self._has_room(data) or self.holds(reader, number) or (rows and rows.uneven):
            return
        if fingerprint(data) != reader.files.fingerprint(number):
            return
        with self._lock:
            kept = self.of(reader) or self._kept.setdefault(reader, KeptTexts(reader))
            if not kept.holds(number) and self._has_room(data):
                kept.add(number, b"" if rows is None else rows.small)

    def _has_room(self, data: bytes) -> bool:
        return sum(item.size for item in list(self._kept.values())) + len(data) <= self.most
