"""Cuts a file into chunks of lines that depend on its text alone.

Without anything known of the language these are windows of lines that overlap. Where the language
says at which lines a unit begins, chunks are whole units: small ones together, one that is longer
than a window cut into windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import xxhash

from repo_mcp.model import Windows

# part of what decides whether an index fits this program: raise it when chunks change
VERSION: Final = 2
# a unit of so many lines is a chunk of its own; shorter ones are put together up to `_TOGETHER`
_ALONE: Final = 20
_TOGETHER: Final = 60

Span = tuple[int, int]


def windows_between(first: int, last: int, windows: Windows) -> list[Span]:
    """First and last line of each window between two lines; the last one ends there."""
    found: list[Span] = []
    while first <= last:
        end = min(first + windows.lines - 1, last)
        found.append((first, end))
        if end == last:
            break
        first = end - windows.overlap + 1
    return found


def spans(count: int, cuts: Sequence[int], windows: Windows) -> list[Span]:
    """First and last line of each chunk of a file, counted from 1."""
    if not cuts:
        return windows_between(1, count, windows)
    found: list[Span] = []
    for first, last in _together(_units(count, cuts)):
        found += windows_between(first, last, windows)
    return found


def _units(count: int, cuts: Sequence[int]) -> list[Span]:
    starts = sorted({1, *(line for line in cuts if 1 <= line <= count)})
    return list(zip(starts, [line - 1 for line in starts[1:]] + [count], strict=True))


def _together(units: Sequence[Span]) -> list[Span]:
    """Neighbours that are short, joined."""
    found: list[Span] = []
    joinable = False
    for first, last in units:
        short = last - first + 1 < _ALONE
        if short and joinable and last - found[-1][0] + 1 <= _TOGETHER:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
            joinable = short
    return found


class ChunkIds:
    """Numbers for the chunks of one file; a chunk keeps its own while other parts change."""

    def __init__(self, path: str) -> None:
        """Begin with the file's first chunk."""
        self._path = path.encode("utf-8", "surrogatepass") + b"\0"
        self._seen: dict[int, int] = {}

    def next(self, text: bytes) -> int:
        """The number of the next chunk; the same text again gets another one."""
        plain = xxhash.xxh3_64_intdigest(self._path + text)
        times = self._seen[plain] = self._seen.get(plain, 0) + 1
        return plain if times == 1 else xxhash.xxh3_64_intdigest(text, seed=plain ^ times)
