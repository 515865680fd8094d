"""One segment as a manifest lists it: name, size, seal, and which of its files are dead.

Files die in the entry, never in the segment: its bytes don't change once it is published.
"""

from __future__ import annotations

import re
from operator import lt
from typing import Any, Final

from index_format import layout
from index_format.errors import CorruptIndexError, InvalidInputError
from index_format.records import Record, values_of
from index_format.store import names
from index_format.store.contract import ReadHandle

MAX_FILES_PER_SEGMENT: Final = 2**31 - 1
_MAX_COUNT: Final = 2**63 - 1
_HEX: Final = re.compile(r"[0-9a-f]{32}")
# types in the result of `SegmentEntry.to_record`, and the places of its two lists
_RECORD_TYPES: Final = [str, int, str, int, int, list, int, list, bool]
_DEAD: Final = 5
_TOTALS: Final = 7


class SegmentEntry(Record):
    """One segment of a generation, and which of its files are dead in it."""

    name: str
    length: int
    seal: str  # hex xxh3_128 of the segment's footer
    files: int
    chunks: int
    dead_files: tuple[int, ...]  # ordinals of replaced or removed files, ascending
    live_chunks: int
    live_totals: tuple[int, ...]  # tokens in live chunks, per field of the schema
    canonical: bool  # part of the compacted layout

    def __post_init__(self) -> None:
        """Refuse an entry that contradicts itself."""
        for problem in self._problems():
            message = f"{self.name}: {problem}"
            raise InvalidInputError(message)

    def to_record(self) -> list[object]:
        """Plain values that any encoding carries to another process."""
        return [
            list(value) if isinstance(value, tuple) else value for value in values_of(self).values()
        ]

    @classmethod
    def from_record(cls, record: object) -> SegmentEntry:
        """Undo `to_record`; `InvalidInputError` for anything else."""
        if isinstance(record, list) and list(map(type, record)) == _RECORD_TYPES:
            values: list[Any] = [
                tuple(value) if isinstance(value, list) else value for value in record
            ]
            if set(map(type, (*record[_DEAD], *record[_TOTALS]))) <= {int}:
                return cls(*values)
        message = f"a segment's record must have values of {len(_RECORD_TYPES)} given types"
        raise InvalidInputError(message)

    def _problems(self) -> list[str]:
        dead = len(self.dead_files)
        some_dead = 0 < dead < self.files
        expected_chunks = 0 if dead and dead == self.files else self.chunks
        checks = (
            (names.is_segment(self.name), "name is not a segment's"),
            (0 < self.length <= _MAX_COUNT, f"length is {self.length}"),
            (_HEX.fullmatch(self.seal) is not None, f"seal is {self.seal!r}"),
            (0 <= self.files <= MAX_FILES_PER_SEGMENT, f"files is {self.files}"),
            (0 <= self.chunks <= layout.MAX_CHUNKS_PER_SEGMENT, f"chunks is {self.chunks}"),
            (all(map(lt, self.dead_files, self.dead_files[1:])), "dead_files do not ascend"),
            (
                not dead or (self.dead_files[0] >= 0 and self.dead_files[-1] < self.files),
                f"dead_files are outside 0 to {self.files}",
            ),
            (0 <= self.live_chunks <= self.chunks, f"live_chunks is {self.live_chunks}"),
            (
                some_dead or self.live_chunks == expected_chunks,
                f"live_chunks is {self.live_chunks} with {dead} of {self.files} files dead",
            ),
            (
                all(0 <= total <= _MAX_COUNT for total in self.live_totals),
                "live_totals are out of range",
            ),
        )
        return [problem for holds, problem in checks if not holds]


def check_length(handle: ReadHandle, length: int) -> None:
    """Refuse a file of another length than the manifest says, before a byte of it is read."""
    if handle.size != length:
        raise CorruptIndexError(handle.name, "file", 0, f"{handle.size} bytes", f"{length} bytes")
