"""The order of matching lines on pages: likely files first, a line of each of them in turn.

Every file that matches has its first line before any has a second one, so that a page which can't
hold all lines shows as many files as it can. Pages are consecutive parts of this one order, which
is why each line is on one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp import search
from repo_mcp.search import LineMatch, import_lines
from repo_mcp.text.cutting import stretches
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import size

# of the lines of a file those among which the ones that import are put last: they are at the top
FIRST_LINES: Final = 20
# bytes of a name in JSON beside its value
_FIELD: Final = len('"also":')


class LinePlace(NamedTuple):
    """A matching line by its number among those of its file, from 0, and by that file."""

    turn: int = 0
    # matching lines of the file
    lines: int = 0
    path: str = ""


class FileOrder:
    """Files by what a reader wants first.

    By kind, those that declare what is searched for before others, then by the number of lines that
    match, and by path.
    """

    def __init__(
        self,
        counts: Iterable[search.FileCount],
        rank: Callable[[str], int],
        declaring: Collection[str] = (),
    ) -> None:
        self._rank = rank
        self._declaring = declaring
        self.counts: Sequence[search.FileCount] = sorted(counts, key=self._key)

    def _key(self, count: search.FileCount) -> tuple[int, bool, int, str]:
        path, lines = count
        return self._rank(path), path not in self._declaring, -lines, path

    def files_after(self, last: LinePlace) -> list[search.FileCount]:
        """The files that follow that of a line; all for no line."""
        if not last.path:
            return [*self.counts]
        passed = self._key(search.FileCount(last.path, last.lines))
        return [count for count in self.counts if self._key(count) > passed]

    def after(self, last: LinePlace) -> Iterator[LinePlace]:
        """The lines that follow one, in turns of all files that have so many."""
        turn, files, left = last.turn, self.files_after(last), self.counts
        while left := [count for count in left if count.lines > turn]:
            for path, lines in files:
                if lines > turn:
                    yield LinePlace(turn, lines, path)
            turn, files = turn + 1, left


def imports_last(matches: Sequence[LineMatch]) -> list[LineMatch]:
    """The lines of a file in turns: of the first ones, those that import say least.

    Only the first ones change places, so that it is the same however many are known.
    """
    first = [*matches[:FIRST_LINES]]
    first.sort(key=lambda match: bool(import_lines([match.text])))
    return [*first, *matches[FIRST_LINES:]]


class FileRest(NamedTuple):
    """A file with lines that a page does not show: how many, and texts that tell of some of them.

    Each text has the number of lines that it tells of.
    """

    path: str
    left: int
    parts: Sequence[tuple[str, int]] = ()
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
        """The texts that fit, and how many lines are left out."""
        head = "" if self.is_shown else f"{self.path}: "
        text, listed = "", 0
        for part, lines in self.parts:
            named = f"{text}{', ' if text else head}{part}"
            told = listed + lines
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


def runs_of(numbers: Iterable[int]) -> list[tuple[str, int]]:
    """Numbers of lines as text, those that follow each other by their ends, and how many."""
    return [
        (f"{first}-{last}" if last > first else str(first), last - first + 1)
        for first, last in stretches([*numbers])
    ]
