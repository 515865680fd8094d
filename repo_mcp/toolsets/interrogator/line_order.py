"""The order of matching lines on pages: likely files first, a line of each of them in turn.

Every file that matches has its first line before any has a second one, so that a page which can't
hold all lines shows as many files as it can. Pages are consecutive parts of this one order, which
is why each line is on one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.search import FileCount
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import size

# bytes of a name in JSON beside its value
_FIELD: Final = len('"also":')


class LinePlace(NamedTuple):
    """A matching line by its number among those of its file, from 0, and by that file."""

    turn: int = 0
    # matching lines of the file
    lines: int = 0
    path: str = ""


class FileOrder:
    """Files by what a reader wants first: by kind, by the number of lines that match, by path."""

    def __init__(self, counts: Iterable[FileCount], rank: Callable[[str], int]) -> None:
        self._rank = rank
        self.counts: Sequence[FileCount] = sorted(counts, key=self._key)

    def _key(self, count: FileCount) -> tuple[int, int, str]:
        return self._rank(count.path), -count.lines, count.path

    def files_after(self, last: LinePlace) -> list[FileCount]:
        """The files that follow that of a line; all for no line."""
        if not last.path:
            return [*self.counts]
        passed = self._key(FileCount(last.path, last.lines))
        return [count for count in self.counts if self._key(count) > passed]

    def after(self, last: LinePlace) -> Iterator[LinePlace]:
        """The lines that follow one, in turns of all files that have so many."""
        turn, files, left = last.turn, self.files_after(last), self.counts
        while left := [count for count in left if count.lines > turn]:
            for path, lines in files:
                if lines > turn:
                    yield LinePlace(turn, lines, path)
            turn, files = turn + 1, left


class FileRest(NamedTuple):
    """A file with lines that a page does not show: how many, and the known numbers of some."""

    path: str
    left: int
    numbers: Sequence[int] = ()
    # true if it has other lines on the page
    is_shown: bool = False

    @property
    def least(self) -> str:
        """The shortest text that tells of it."""
        return f"{self.left} more" if self.is_shown else f"{self.path} ({self.left})"

    @property
    def least_size(self) -> int:
        """The bytes of that."""
        return size(self.least) + (_FIELD if self.is_shown else 0)

    def within(self, room: int) -> str:
        """The numbers that fit, runs of them by their ends, and how many are left out."""
        head = "" if self.is_shown else f"{self.path}: "
        text, listed = "", 0
        for first, last in _runs(self.numbers):
            named = f"{text}{', ' if text else head}{_span(first, last)}"
            told = listed + last - first + 1
            left = self.left - told
            if size(f"{named}, {left} more" if left else named) > room:
                break
            text, listed = named, told
        left = self.left - listed
        if not text:
            return self.least
        return f"{text}, {left} more" if left else text


def least_size(files: Iterable[FileRest]) -> int:
    """The bytes that tell of all files."""
    return sum(file.least_size for file in files)


def name_rest(files: Sequence[FileRest], room: int) -> tuple[dict[str, str], list[str]]:
    """The lines that a page does not show: of its own files by path, and of the others.

    All files are named before the numbers of lines of any; where there is no room for all, the
    number of those left out stands at the end.
    """
    named = len(files)
    if least_size(files) > room:
        most = room - size(counted(len(files), "more file"))
        named = sum(cost <= most for cost in accumulate(file.least_size for file in files))
        room = most
    room -= least_size(files[:named])
    also: dict[str, str] = {}
    others: list[str] = []
    for file in files[:named]:
        least = size(file.least)
        text = file.within(room + least)
        room += least - size(text)
        if file.is_shown:
            also[file.path] = text
        else:
            others.append(text)
    if named < len(files):
        others.append(counted(len(files) - named, "more file"))
    return also, others


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and last of numbers that follow each other."""
    for _, run in groupby(enumerate(numbers), key=lambda row: row[1] - row[0]):
        listed = [number for _, number in run]
        yield listed[0], listed[-1]


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
