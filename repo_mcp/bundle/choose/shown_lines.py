"""Chooses the lines of a declaration to show: all of a short one, else its head and best lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from code_graph.facts import Declaration
from repo_mcp.bundle.find.files import Files, FileText
from repo_mcp.bundle.weights import LineWeights as Weights
from repo_mcp.search import TermMatcher
from repo_mcp.text.comments import (
    ATTRIBUTE,
    BLOCK_MARKS,
    CONDITIONS,
    DECORATOR,
    DIRECTIVES,
    LINE_MARKS,
    continues_comment,
    is_comment,
)
from repo_mcp.text.cutting import cut, stretches

_LICENCE: Final = re.compile(r"copyright|licen[cs]e|SPDX|all rights reserved", re.IGNORECASE)
_ANNOTATIONS: Final = (DECORATOR, ATTRIBUTE)
_QUOTES: Final = ('"""', "'''", 'r"""')


def shown_lines(
    files: Files,
    source: FileText,
    span: tuple[int, int],
    focus: Mapping[tuple[int, int], float],
    matcher: TermMatcher,
    limit: int,
) -> list[int]:
    """At most `limit` line numbers of the span, ascending; `focus` has the worth of hits."""
    first, last = span[0], min(span[1], source.rows.count)
    first = max(1, min(first, last))
    rows = source.rows.between(first, last)
    if len(rows) <= limit:
        return _trimmed_lines(rows, first)
    if not matcher.weights and not focus:
        return _trimmed_lines(rows[:limit], first)
    declared = files.declarations(source.path)
    kept = _LineSelection(limit)
    head = _head(rows, first, declared)
    # a long head leaves a line for each hit
    kept.add(head[: max(limit // Weights.HALF, limit - len(focus))])
    doc = _documentation(rows, first)
    code = [line for line in range(first, last + 1) if line not in doc]
    if len(code) <= limit:
        kept.add(code)
    spans = [
        (max(first, begin), min(last, end, begin + limit // Weights.HALF))
        for (begin, end), _ in sorted(focus.items(), key=lambda item: (-item[1], item[0]))
        if end - begin < last - first
    ]
    for begin, end in spans:
        kept.add(range(begin, end + 1))
    for begin, end in spans:
        kept.add(range(max(first, begin - Weights.AROUND), min(last, end + Weights.AROUND) + 1))
    for line in _matching(rows, first, matcher):
        kept.add(range(max(first, line - Weights.AROUND), min(last, line + Weights.AROUND) + 1))
        if kept.is_full:
            break
    kept.add(range(first, first + limit // Weights.HALF))
    return tidy_lines(rows, first, kept.lines(), limit)


def comment_above(source: FileText, first: int) -> list[int]:
    """Lines of the comment directly above a declaration, if it is short."""
    begin = max(1, first - Weights.HEAD - 1)
    rows = source.rows.between(begin, first - 1) if first > 1 else []
    count = 0
    for row in reversed(rows):
        if not is_comment(row, _ANNOTATIONS, CONDITIONS):
            break
        count += 1
    return list(range(first - count, first)) if count <= Weights.HEAD else []


def licence_above(source: FileText) -> int:
    """Number of lines of the licence at the beginning of a file."""
    rows = source.rows.between(1, min(source.rows.count, Weights.MOST_LICENCE))
    end = 0
    while end < len(rows) and (
        not rows[end].strip() or is_comment(rows[end], _ANNOTATIONS, DIRECTIVES)
    ):
        end += 1
    return end if any(map(_LICENCE.search, rows[:end])) else 0


def text_of(source: FileText, number: int) -> str:
    """A line as it is shown."""
    row = "".join(source.rows.between(number, number))
    return cut(row, Weights.LONGEST_LINE)


def _trimmed_lines(rows: Sequence[str], first: int) -> list[int]:
    begin, last = _trim(rows, first, (first, first + len(rows) - 1))
    return list(range(begin, last + 1))


class _LineSelection:
    """Lines to show, up to a limit; small gaps between them are filled."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: set[int] = set()

    @property
    def is_full(self) -> bool:
        return len(self._lines) >= self._limit

    def add(self, lines: Iterable[int]) -> None:
        """Adds lines up to the limit, and fills small gaps between them."""
        for line in lines:
            if self.is_full:
                return
            self._lines.add(line)
            for gap in range(1, Weights.SMALL_GAP + 1):
                between = set(range(line - gap, line))
                if line - gap - 1 in self._lines and len(self._lines | between) <= self._limit:
                    self._lines |= between
                    break

    def lines(self) -> list[int]:
        return sorted(self._lines)


def _head(rows: Sequence[str], first: int, declared: Sequence[Declaration]) -> list[int]:
    """Lines of a declaration before its body, and the first lines of its documentation."""
    name_line = min(
        (item.name_line for item in declared if item.start_line == first), default=first
    )
    at = max(0, min(name_line - first, Weights.HEAD))
    end = at
    while end < min(at + Weights.HEAD, len(rows) - 1) and not rows[end].rstrip().endswith(
        (":", "{", ";", "=>", "then", "=")
    ):
        end += 1
    if end + 1 < len(rows) and rows[end + 1].strip() == "{":
        end += 1
    elif end + 1 < len(rows) and rows[end + 1].strip().startswith(_QUOTES):
        end += 1
        mark = rows[end].strip()[-3:] if len(rows[end].strip()) > 3 else ""
        closed = mark in {'"""', "'''"}
        end += 0 if closed else min(Weights.DOC - 1, len(rows) - 1 - end)
    return list(range(first, first + end + 1))


def _documentation(rows: Sequence[str], first: int) -> range:
    """Lines of a docstring, without its first ones."""
    for at, row in enumerate(rows[: Weights.HEAD]):
        mark = next(
            (mark for mark in ('"""', "'''") if row.strip().lstrip("rR").startswith(mark)), ""
        )
        if not mark:
            continue
        for end in range(at, len(rows)):
            text = rows[end] if end > at else row.partition(mark)[2]
            if mark in text:
                return range(first + at + Weights.DOC, first + end)
        return range(0)
    return range(0)


def _matching(rows: Sequence[str], first: int, matcher: TermMatcher) -> list[int]:
    """Numbers of lines that match the prompt, best first."""
    found: list[tuple[float, int]] = []
    for number, row in enumerate(rows[: Weights.MOST_WEIGHED]):
        worth = matcher.weigh(matcher.finder.found_in(row[: Weights.LONGEST_LINE]))
        if worth > 0:
            found.append((-worth, first + number))
    return [line for _, line in sorted(found)]


def close_gaps(shown: Collection[int], lines: Sequence[int]) -> list[int]:
    """New lines with those of small gaps between them, and between them and shown ones."""
    whole = sorted({*shown, *lines})
    gaps = [
        range(before + 1, after)
        for before, after in pairwise(whole)
        if after - before <= Weights.SMALL_GAP + 1 and not {before, after} <= set(shown)
    ]
    return sorted({*lines, *(line for gap in gaps for line in gap)})


def tidy_lines(rows: Sequence[str], first: int, lines: Sequence[int], limit: int) -> list[int]:
    """Completes comments and trims blank lines at the ends of each range.

    `rows` start at line `first`; at most `limit` lines are returned.
    """
    spans = [_trim(rows, first, _widen(rows, first, span)) for span in stretches(lines)]
    if sum(last - begin + 1 for begin, last in spans) > limit:
        spans = [
            _trim(rows, first, span)
            for span in stretches(lines)
            if not _is_piece(rows, first, span)
        ] or [stretches(lines)[0]]
    return sorted({line for begin, last in spans for line in range(begin, last + 1)})


def _widen(rows: Sequence[str], first: int, span: tuple[int, int]) -> tuple[int, int]:
    """The span, extended to the whole of a short comment that it begins or ends in."""

    def is_inside(line: int) -> bool:
        at = line - first
        return 0 < at < len(rows) and continues_comment(rows[at], rows[at - 1])

    begin, last = span
    up, down = begin, last
    while begin - up < Weights.MOST_ADDED and is_inside(up):
        up -= 1
    while down - last < Weights.MOST_ADDED and is_inside(down + 1):
        down += 1
    return begin if is_inside(up) else up, last if is_inside(down + 1) else down


def _is_piece(rows: Sequence[str], first: int, span: tuple[int, int]) -> bool:
    """True for a span of only a line or two of a comment."""
    begin, last = span[0] - first, span[1] - first
    piece = [row.lstrip() for row in rows[begin : last + 1]]
    return (
        begin > 0
        and continues_comment(rows[begin], rows[begin - 1])
        and len(piece) <= Weights.PIECE
        and all(row.startswith((BLOCK_MARKS[1], *LINE_MARKS)) for row in piece)
    )


def _trim(rows: Sequence[str], first: int, span: tuple[int, int]) -> tuple[int, int]:
    """The span without blank lines at its ends."""
    begin, last = span
    while begin < last and not rows[begin - first].strip():
        begin += 1
    while last > begin and not rows[last - first].strip():
        last -= 1
    return begin, last
