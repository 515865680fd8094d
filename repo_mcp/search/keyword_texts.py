"""Texts of files as they were indexed, kept in memory so that most need not be read again.

They only serve to pass over files without a match, as the index does, and are just as old: what is
shown is always read from the file as it is.
"""

from __future__ import annotations

import threading
from typing import Final
from weakref import WeakKeyDictionary

from index_format.segment_reader import SegmentReader
from repo_mcp.search.keyword_lines import Rows
from repo_mcp.search.lines_found import rows_of
from repo_mcp.text import fingerprint

# of one tree: the text of a million lines or more
_MOST_BYTES: Final = 48 << 20


class _Kept:
    """Lines of one segment's files, in small letters, by the numbers of their files."""

    def __init__(self) -> None:
        self.texts: dict[int, bytes] = {}
        self.size = 0


class KeywordTexts:
    """Plain ASCII texts; the first ones that were read, until there is no more room."""

    def __init__(self, most: int = _MOST_BYTES) -> None:
        """Keep so many bytes."""
        self._most = most
        self._kept: WeakKeyDictionary[SegmentReader, _Kept] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of(self, reader: SegmentReader, number: int) -> Rows | None:
        """The lines of a file in small letters; None where they are not known."""
        kept = self._kept.get(reader)
        found = None if kept is None else kept.texts.get(number)
        return None if found is None else Rows(found, found)

    def keep(self, reader: SegmentReader, number: int, data: bytes) -> None:
        """Keep a file that was read just now, if it is what was indexed, and there is room."""
        if not data.isascii() or self._used + len(data) > self._most:
            return
        if (
            number in self._of(reader).texts
            or fingerprint(data) != reader.files.record(number).fingerprint
        ):
            return
        text = (rows_of(data) or b"").lower()
        with self._lock:
            kept = self._of(reader)
            if number not in kept.texts and self._used + len(data) <= self._most:
                kept.texts[number] = text
                kept.size += len(data)

    @property
    def _used(self) -> int:
        return sum(item.size for item in list(self._kept.values()))

    def _of(self, reader: SegmentReader) -> _Kept:
        return self._kept.setdefault(reader, _Kept())
