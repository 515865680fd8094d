"""Matching lines, and sequences of very many of them, made only when they are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, overload

from index_format.records import Record

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox import NeedleLines

# columns reported of one line
MAX_SPANS: Final = 100

_NUMBER_BYTES: Final = 4

Span = tuple[int, int]
# begin and end of a line in a text, and its matches in that
PlacedLine = tuple[int, int, Sequence[Span]]
FindLines = Callable[[bytes], Iterable[PlacedLine]]


class TreeMatch(Record):
    """A match of a structural pattern, or of text over several lines.

    It goes from a column of a line to a column of a later or equal one. `bindings` are the names of
    metavariables with the text that each stands for, if asked for.
    """

    column: int
    end_line: int
    end_column: int
    bindings: tuple[tuple[str, str], ...] = ()


class LineMatch(Record):
    """A matching line, counted from 1, and its lines of context.

    `columns` are the characters that match, counted from 0; an empty match has none. `trees` are
    the matches of several lines that begin in it, if they are told apart.
    """

    path: str
    line: int
    columns: tuple[Span, ...]
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    trees: tuple[TreeMatch, ...] = ()


class LineList(Sequence[LineMatch]):
    """The matching lines of one file after the other."""

    def __init__(self) -> None:
        self._parts: list[Sequence[LineMatch]] = []
        self._ends: list[int] = []

    def add(self, part: Sequence[LineMatch]) -> None:
        """Append the lines of a file."""
        if part:
            self._ends.append(len(self) + len(part))
            self._parts.append(part)

    def __len__(self) -> int:
        """Number of lines."""
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[LineMatch]:
        """The lines in order."""
        return chain.from_iterable(self._parts)

    @overload
    def __getitem__(self, at: int) -> LineMatch: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[LineMatch]: ...
    def __getitem__(self, at: int | slice) -> LineMatch | Sequence[LineMatch]:
        """One line, or some."""
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        part = bisect_right(self._ends, place)
        return self._parts[part][place - self._ends[part]]

    def __eq__(self, other: object) -> bool:
        """True if another sequence has the same lines."""
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]  # as of a list


class PackedLines(Sequence[LineMatch]):
    """Matching lines of one file, kept as bytes and numbers."""

    def __init__(self, path: str, found: NeedleLines, lines_of: FindLines) -> None:
        self._path = path
        self._numbers = found.numbers
        self._text = found.text
        self._lines_of = lines_of

    def __len__(self) -> int:
        """Number of lines."""
        return len(self._numbers) // _NUMBER_BYTES

    def __iter__(self) -> Iterator[LineMatch]:
        """The lines in order."""
        text = self._text
        for number, (begin, end, spans) in zip(
            memoryview(self._numbers).cast("I"), self._lines_of(text), strict=True
        ):
            line = text[begin:end]
            columns = columns_of(line, begin, spans) if spans else ()
            yield LineMatch(self._path, number, columns, line.decode())

    @overload
    def __getitem__(self, at: int) -> LineMatch: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[LineMatch]: ...
    def __getitem__(self, at: int | slice) -> LineMatch | Sequence[LineMatch]:
        """One line, or some."""
        return [*self][at]


def columns_of(line: bytes, begin: int, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The columns of the matches in a line that begins there, without empty matches."""
    full = [(start - begin, stop - begin) for start, stop in spans if start < stop][:MAX_SPANS]
    if line.isascii():
        return tuple(full)
    columns: list[Span] = []
    at = column = 0
    for start, stop in full:
        if start < at:  # matches of several patterns may overlap
            at = column = 0
        first = column + len(line[at:start].decode())
        column = first + len(line[start:stop].decode())
        at = stop
        columns.append((first, column))
    return tuple(columns)
