"""Cuts a file into chunks of lines, as a function of its text alone.

Files of unknown languages are cut into overlapping windows of lines. Where the language adapter
gives the first lines of units, chunks are whole units: small ones are joined, and a unit longer
than a window is cut into windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import xxhash

from repo_mcp.model import Windows

# part of the index's signature: raise it when chunks or their words change
VERSION: Final = 3
# units with at least this many lines stay alone; shorter ones are joined up to `_JOINED_LINES`
_OWN_CHUNK_LINES: Final = 20
_JOINED_LINES: Final = 60

Span = tuple[int, int]


def windows_between(first: int, last: int, windows: Windows) -> list[Span]:
    """First and last line of each window between two lines; the last window ends at `last`."""
    found: list[Span] = []
    while first <= last:
        end = min(first + windows.lines - 1, last)
        found.append((first, end))
        if end == last:
            break
        first = end - windows.overlap + 1
    return found


def chunk_spans(count: int, cuts: Sequence[int], windows: Windows) -> list[Span]:
    """First and last line of each chunk of a file, counted from 1."""
    if not cuts:
        return windows_between(1, count, windows)
    found: list[Span] = []
    for first, last in _join_short(_units(count, cuts)):
        found += windows_between(first, last, windows)
    return found


def _units(count: int, cuts: Sequence[int]) -> list[Span]:
    starts = sorted({1, *(line for line in cuts if 1 <= line <= count)})
    return list(zip(starts, [line - 1 for line in starts[1:]] + [count], strict=True))


def _join_short(units: Sequence[Span]) -> list[Span]:
    """Units with short neighbours joined."""
    found: list[Span] = []
    joinable = False
    for first, last in units:
        short = last - first + 1 < _OWN_CHUNK_LINES
        if short and joinable and last - found[-1][0] + 1 <= _JOINED_LINES:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
            joinable = short
    return found


class ChunkIds:
    """Ids for the chunks of one file; a chunk keeps its id while other parts change."""

    def __init__(self, path: str) -> None:
        self._path = path.encode("utf-8", "surrogatepass") + b"\0"
        self._seen: dict[int, int] = {}

    def next(self, text: bytes) -> int:
        """The id of the next chunk; a repeated text gets another id."""
        plain = xxhash.xxh3_64_intdigest(self._path + text)
        times = self._seen[plain] = self._seen.get(plain, 0) + 1
        return plain if times == 1 else xxhash.xxh3_64_intdigest(text, seed=plain ^ times)
