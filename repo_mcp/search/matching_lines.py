"""The lines of a file that match, with the columns that match and lines of context."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Protocol

from index_format.records import replace
from repo_mcp.search.line_matches import (
    MAX_SPANS,
    LineMatch,
    PlacedLine,
    Span,
    TreeMatch,
    columns_of,
)
from repo_mcp.text.files import decode


class Matches(Protocol):
    """The matches of a pattern in one text; counts what they take, and lines too long to search."""

    @property
    def skipped_lines(self) -> int:
        """Number of lines that were too long until now."""
        ...

    @property
    def searches(self) -> int:
        """Number of calls of the engine of expressions until now."""
        ...

    @property
    def in_parts(self) -> bool:
        """True if a match over line ends may be longer than the text that was searched for it."""
        ...

    def iter_spans(self, end: int, begin: int = 0, *, one_a_line: bool = False) -> Iterator[Span]:
        """The matches between two offsets in order; `begin` is the first offset of a line.

        With `one_a_line`, those after the first of a line may be left out. No match begins or ends
        inside a character.
        """
        ...


def nonempty_spans(matches: Matches, end: int, begin: int = 0) -> list[Span]:
    """The first matches in a line that have a character."""
    full = (span for span in matches.iter_spans(end, begin) if span[0] < span[1])
    return [*islice(full, MAX_SPANS)]


def matching_lines(rows: bytes, matches: Matches) -> Iterator[Span]:
    """Begin and end of each line with a match; of all its lines if a match goes over line ends."""
    end = -1
    for start, stop in matches.iter_spans(len(rows) - 1, one_a_line=True):
        if start > end or stop > end + 1:
            begin = rows.rfind(b"\n", end + 1, start) + 1 or end + 1
            end = rows.find(b"\n", stop - 1 if stop > start else start)
            yield begin, end


def lines_with_spans(rows: bytes, matches: Matches, most: int = MAX_SPANS) -> Iterator[PlacedLine]:
    """The same with the first matches of each line, where none is empty."""
    begin, end, is_full, spans = 0, -1, True, list[Span]()
    while is_full:  # behind a line with very many matches the search begins again
        is_full = False
        for span in matches.iter_spans(len(rows) - 1, end + 1):
            if span[0] > end:
                if spans:
                    yield begin, end, spans
                begin = rows.rfind(b"\n", end + 1, span[0]) + 1 or end + 1
                end, spans = rows.find(b"\n", span[0]), []
            spans.append(span)
            is_full = len(spans) == most
            if is_full:
                break
    if spans:
        yield begin, end, spans


def lines_matching_all(rows: bytes, several: Sequence[Matches]) -> Iterator[Span]:
    """Begin and end of each line that matches every pattern; matches may overlap.

    From a line that lacks a pattern, the search jumps to the next line with that pattern.
    """
    at, last = 0, len(rows) - 1
    while at < last:
        starts: list[int] = []
        for matches in several:
            span = next(matches.iter_spans(last, at), None)
            if span is None:
                return
            starts.append(span[0])
        begin = at = rows.rfind(b"\n", at, max(starts)) + 1 or at
        if min(starts) >= begin:
            end = rows.find(b"\n", max(starts))
            yield begin, end
            at = end + 1


def between_lines(rows: bytes, lines: Iterable[Span]) -> Iterator[Span]:
    """The parts of a text between ascending lines, each of whole lines with their ends."""
    at = 0
    for begin, end in lines:
        if at < begin:
            yield at, begin
        at = end + 1
    if at < len(rows):
        yield at, len(rows)


def lines_of_part(rows: bytes, begin: int, end: int) -> Iterator[Span]:
    """Begin and end of each line of a part."""
    while begin < end:
        stop = rows.find(b"\n", begin)
        yield begin, stop
        begin = stop + 1


def begin_before(rows: bytes, begin: int, most: int) -> int:
    """Where the last lines before one begin."""
    for _ in range(most):
        if not begin:
            break
        begin = rows.rfind(b"\n", 0, begin - 1) + 1
    return begin


def end_behind(rows: bytes, end: int, most: int) -> int:
    """Where the next lines behind one end, with their line feeds."""
    for _ in range(most):
        following = rows.find(b"\n", end + 1)
        if following < 0:
            break
        end = following
    return end + 1


class LineCounter:
    """Numbers lines of a text by where they begin, one after the other."""

    def __init__(self, rows: bytes) -> None:
        self._rows = rows
        self._number, self._counted_to = 1, 0

    def number(self, begin: int) -> int:
        """The number of a line, from 1, that does not precede the one before."""
        self._number += self._rows.count(b"\n", self._counted_to, begin)
        self._counted_to = begin
        return self._number


def normalize_lines(data: bytes) -> bytes | None:
    """The lines of a file in UTF-8, each ended by one line feed; None for a binary file.

    They are the lines of `text.lines`.
    """
    if not data.isascii():
        text = decode(data)
        if text is None:
            return None
        data = text.content.encode("utf-8")
    elif b"\0" in data:
        return None
    unfinished = bool(data) and not data.endswith(b"\n")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        data = data.removesuffix(b"\r") if unfinished else data
    return data + b"\n" if unfinished else data


class MatchingLines:
    """The matching lines of one file: their number, and the first ones."""

    def __init__(
        self,
        path: str,
        rows: bytes,
        context: int,
        most_searches: int | None = None,
        *,
        columns: bool = True,
    ) -> None:
        """Counts no further lines after so many calls of the engine of expressions.

        Without `columns`, lines do not tell where they match.
        """
        self._columns = columns
        self.path = path
        self._most_searches = sys.maxsize if most_searches is None else most_searches
        self._rows = rows
        self._context = context
        self._counter = LineCounter(rows)
        self.lines: list[LineMatch] = []
        self.count = 0

    def collect(
        self, several: Sequence[Matches], most: int | None, *, counted: bool = True
    ) -> None:
        """Counts lines that match every pattern and keeps the first `most`.

        Each match lies within one line. Without `counted`, stops after `most` lines.
        """
        rows, first = self._rows, several[0]
        single = len(several) == 1
        lines = matching_lines(rows, first) if single else lines_matching_all(rows, several)
        for begin, end in lines:
            is_past = most is not None and self.count > most
            if is_past and first.searches >= self._most_searches:
                return
            if self._is_kept(most):
                wanted = several if self._columns else ()
                spans = [nonempty_spans(matches, end, begin) for matches in wanted]
                self._keep(begin, end, sorted(chain.from_iterable(spans)))
            if self.count == most and not counted:
                return

    def collect_multiline(self, matches: Matches, most: int | None) -> None:
        """Like `collect`, for matches that span several lines."""
        rows = self._rows
        spans = matches.iter_spans(len(rows))
        parts = chain.from_iterable(_split_by_line(rows, span) for span in spans)
        for (begin, end), in_line in groupby(parts, key=itemgetter(0, 1)):
            self._count(begin, end, [part for _, _, part in islice(in_line, MAX_SPANS)], most)

    def collect_matches(self, matches: Matches, most: int | None, *, crossing: bool) -> None:
        """Counts the lines in which matches begin and keeps the first `most`, with their ends.

        With `crossing`, only matches that go over a line end without the blanks at their edges.
        """
        rows, spans = self._rows, matches.iter_spans(len(self._rows))
        if crossing:
            shown = (_without_blanks(rows, span) for span in spans)
            spans = (span for span in shown if b"\n" in rows[span[0] : span[1]])
        full = (span for span in spans if span[0] < span[1])
        for begin, begun in groupby(full, key=lambda span: rows.rfind(b"\n", 0, span[0]) + 1):
            if self._is_kept(most):
                end, whole = rows.find(b"\n", begin), [*islice(begun, MAX_SPANS)]
                self._keep(begin, end, [(start, min(stop, end)) for start, stop in whole])
                line = self.lines[-1]
                trees = tuple(self._tree(line.line, begin, span) for span in whole)
                self.lines[-1] = replace(line, trees=trees)

    def _tree(self, number: int, begin: int, span: Span) -> TreeMatch:
        """The place of a match that begins in a line, in characters."""
        rows, (start, stop) = self._rows, span
        last = rows.rfind(b"\n", 0, stop - 1) + 1
        columns = len(rows[begin:start].decode()), len(rows[last:stop].decode())
        return TreeMatch(columns[0], number + rows.count(b"\n", begin, last), columns[1])

    def collect_others(self, matches: Matches, most: int | None) -> None:
        """Like `collect`, for the lines that no match touches."""
        rows = self._rows
        for begin, end in between_lines(rows, matching_lines(rows, matches)):
            self.count += rows.count(b"\n", begin, end)
            left = None if most is None else most - len(self.lines)
            for start, stop in islice(lines_of_part(rows, begin, end), left):
                self._keep(start, stop, [])

    def collect_first(self, several: Sequence[Matches], most: int | None) -> None:
        """Collects the first matching line of each pattern, if the file matches all of them."""
        rows, lines = self._rows, dict[int, Span]()
        for matches in several:
            span = next(matches.iter_spans(len(rows) - 1), None)
            if span is None:
                return
            lines.setdefault(rows.rfind(b"\n", 0, span[0]) + 1, span)
        for begin, span in sorted(lines.items()):
            self._count(begin, rows.find(b"\n", span[0]), [span], most)

    def _count(self, begin: int, end: int, spans: Sequence[Span], most: int | None) -> None:
        if self._is_kept(most):
            self._keep(begin, end, spans)

    def _is_kept(self, most: int | None) -> bool:
        """Counts a matching line; whether it is among the first `most`."""
        self.count += 1
        return most is None or len(self.lines) < most

    def _keep(self, begin: int, end: int, spans: Sequence[Span]) -> None:
        rows, context = self._rows, self._context
        line = rows[begin:end]
        before: tuple[str, ...] = ()
        after: tuple[str, ...] = ()
        if context:
            before = _split_lines(rows[begin_before(rows, begin, context) : begin])
            after = _split_lines(rows[end + 1 : end_behind(rows, end, context)])
        number, columns = self._counter.number(begin), columns_of(line, begin, spans)
        self.lines.append(LineMatch(self.path, number, columns, line.decode(), before, after))


def _split_lines(rows: bytes) -> tuple[str, ...]:
    return tuple(rows.decode().split("\n")[:-1])


def _without_blanks(rows: bytes, span: Span) -> Span:
    """A match without the blanks and line feeds at its edges."""
    start, stop = span
    text = rows[start:stop]
    return start + len(text) - len(text.lstrip()), start + len(text.rstrip())


def _split_by_line(rows: bytes, span: Span) -> Iterator[tuple[int, int, Span]]:
    """For each line that a match touches: its begin, its end, and the part that matches."""
    at, stop = span
    while at < stop:
        begin = rows.rfind(b"\n", 0, at) + 1
        end = rows.find(b"\n", at)
        yield begin, end, (at, min(stop, end))
        at = end + 1
