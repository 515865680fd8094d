"""Which lines of a declaration are shown: all where it is short, else its head and what matters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from repo_mcp.bundle.find.files import Files, Source
from repo_mcp.bundle.model import stretches
from repo_mcp.bundle.weights import LineWeights
from repo_mcp.languages.facts.model import Declaration
from repo_mcp.search.ranked.term_matcher import TermMatcher

_MORE: Final = " …"
_LICENCE: Final = re.compile(r"copyright|licen[cs]e|SPDX|all rights reserved", re.IGNORECASE)
_COMMENTS: Final = ("//", "/*", "*", "#", "--", ";", "%", "@", "[")
_QUOTES: Final = ('"""', "'''", 'r"""')
TYPES: Final = frozenset({"class", "interface", "trait", "protocol", "impl", "extension"})


def shown_lines(
    files: Files,
    source: Source,
    span: tuple[int, int],
    focus: Mapping[tuple[int, int], float],
    telling: TermMatcher,
    limit: int,
) -> list[int]:
    """Numbers of so many lines of the span at most, ascending; `focus` are those found."""
    first, last = span[0], min(span[1], source.rows.count)
    first = max(1, min(first, last))
    rows = source.rows.between(first, last)
    if len(rows) <= limit:
        return _trimmed(rows, first)
    if not telling.weights and not focus:
        return _trimmed(rows[:limit], first)
    declared = files.declarations(source.path)
    kept = _LineSelection(limit)
    kept.add(_head(rows, first, declared))
    doc = _documentation(rows, first)
    code = [line for line in range(first, last + 1) if line not in doc]
    if len(code) <= limit:
        kept.add(code)
    spans = [
        (max(first, begin), min(last, end, begin + limit // LineWeights.HALF))
        for (begin, end), _ in sorted(focus.items(), key=lambda item: (-item[1], item[0]))
        if end - begin < last - first
    ]
    for begin, end in spans:
        kept.add(range(begin, end + 1))
    for begin, end in spans:
        wide = max(
            LineWeights.AROUND,
            min(LineWeights.FOCUS, limit // LineWeights.PARTS) - (end - begin) // 2,
        )
        kept.add(range(max(first, begin - wide), min(last, end + wide) + 1))
    kept.add(_members(declared, first, last))
    for line in _telling(rows, first, telling):
        kept.add(
            range(max(first, line - LineWeights.AROUND), min(last, line + LineWeights.AROUND) + 1)
        )
        if kept.is_full:
            break
    kept.add(range(first, first + limit // LineWeights.HALF))
    return tidied(rows, first, kept.lines(), limit)


def comment_above(source: Source, first: int) -> list[int]:
    """Lines of comments right above a declaration, if they are few."""
    begin = max(1, first - LineWeights.ABOVE - 1)
    rows = source.rows.between(begin, first - 1) if first > 1 else []
    count = 0
    for row in reversed(rows):
        if not row.lstrip().startswith(_COMMENTS) or row.lstrip().startswith(("#include", "#if")):
            break
        count += 1
    return list(range(first - count, first)) if count <= LineWeights.ABOVE else []


def licence_above(source: Source) -> int:
    """How many lines the licence and the authors take at the beginning of a file."""
    rows = source.rows.between(1, min(source.rows.count, LineWeights.MOST_LICENCE))
    end = 0
    while end < len(rows) and (not rows[end].strip() or rows[end].lstrip().startswith(_COMMENTS)):
        if rows[end].lstrip().startswith(("#include", "#define", "#if", "#pragma")):
            break
        end += 1
    return end if any(map(_LICENCE.search, rows[:end])) else 0


def text_of(source: Source, number: int) -> str:
    """A line as it is shown."""
    row = "".join(source.rows.between(number, number))
    return row if len(row) <= LineWeights.LONGEST_LINE else row[: LineWeights.LONGEST_LINE] + _MORE


def _trimmed(rows: Sequence[str], first: int) -> list[int]:
    """Without blank lines at both ends."""
    held = [number for number, row in enumerate(rows) if row.strip()]
    return list(range(first + held[0], first + held[-1] + 1)) if held else [first]


class _LineSelection:
    """Lines to show, up to a limit; small gaps between them are filled."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: set[int] = set()

    @property
    def is_full(self) -> bool:
        return len(self._lines) >= self._limit

    def add(self, lines: Iterable[int]) -> None:
        """Add as many as there is room for, with what lies between them and near others."""
        for line in lines:
            if self.is_full:
                return
            self._lines.add(line)
            for gap in range(1, LineWeights.SMALL_GAP + 1):
                between = set(range(line - gap, line))
                if line - gap - 1 in self._lines and len(self._lines | between) <= self._limit:
                    self._lines |= between
                    break

    def lines(self) -> list[int]:
        return sorted(self._lines)


def _head(rows: Sequence[str], first: int, declared: Sequence[Declaration]) -> list[int]:
    """What a declaration says before its body, and the beginning of its documentation."""
    name_line = min(
        (item.name_line for item in declared if item.start_line == first), default=first
    )
    at = max(0, min(name_line - first, LineWeights.HEAD))
    end = at
    while end < min(at + LineWeights.HEAD, len(rows) - 1) and not rows[end].rstrip().endswith(
        (":", "{", ";", "=>", "then", "=")
    ):
        end += 1
    if end + 1 < len(rows) and rows[end + 1].strip() == "{":
        end += 1
    elif end + 1 < len(rows) and rows[end + 1].strip().startswith(_QUOTES):
        end += 1
        mark = rows[end].strip()[-3:] if len(rows[end].strip()) > 3 else ""
        closed = mark in {'"""', "'''"}
        end += 0 if closed else min(LineWeights.DOC - 1, len(rows) - 1 - end)
    return list(range(first, first + end + 1))


def _documentation(rows: Sequence[str], first: int) -> range:
    """Lines of a long documentation text at the beginning of a body, but for its own first ones."""
    for at, row in enumerate(rows[: LineWeights.HEAD]):
        mark = next(
            (mark for mark in ('"""', "'''") if row.strip().lstrip("rR").startswith(mark)), ""
        )
        if not mark:
            continue
        for end in range(at, len(rows)):
            text = rows[end] if end > at else row.partition(mark)[2]
            if mark in text:
                return range(first + at + LineWeights.DOC, first + end)
        return range(0)
    return range(0)


def _members(declared: Sequence[Declaration], first: int, last: int) -> list[int]:
    """Lines that name what a type holds itself."""
    numbers = [
        number
        for number, item in enumerate(declared)
        if item.start_line == first and item.end_line == last and item.kind in TYPES
    ]
    if not numbers:
        return []
    return [item.name_line for item in declared if item.parent == numbers[0]]


def _telling(rows: Sequence[str], first: int, telling: TermMatcher) -> list[int]:
    """Numbers of lines with words that tell something, the most telling first."""
    found: list[tuple[float, int]] = []
    for number, row in enumerate(rows[: LineWeights.MOST_WEIGHED]):
        worth = telling.worth(telling.finder.found_in(row[: LineWeights.LONGEST_LINE]))
        if worth > 0:
            found.append((-worth, first + number))
    return [line for _, line in sorted(found)]


_CONTINUED_COMMENTS: Final = ("*", "//", "#", "--")
_LINE_COMMENTS: Final = ("//", "#", "--")


def tidied(rows: Sequence[str], first: int, lines: Sequence[int], limit: int) -> list[int]:
    """The lines with whole comments and without blanks at the ends of each stretch.

    `rows` are those from line `first` on; no more than `limit` lines are given.
    """
    kept: set[int] = set()
    spans = [_widened(rows, first, span) for span in stretches(lines)]
    trimmed = [_trimmed_span(rows, first, span) for span in spans]
    needed = sum(last - begin + 1 for begin, last in trimmed)
    if needed > limit:
        trimmed = [
            _trimmed_span(rows, first, span)
            for span in stretches(lines)
            if not _is_piece(rows, first, span)
        ] or [stretches(lines)[0]]
    for begin, last in trimmed:
        kept.update(range(begin, last + 1))
    return sorted(kept)


def _widened(rows: Sequence[str], first: int, span: tuple[int, int]) -> tuple[int, int]:
    begin, last = span
    up = begin
    while up > first and begin - up < LineWeights.MOST_ADDED and _goes_on(rows, up - first):
        up -= 1
    down = last
    while (
        down - first + 1 < len(rows)
        and down - last < LineWeights.MOST_ADDED
        and _goes_on(rows, down - first + 1)
    ):
        down += 1
    return (
        begin if up > first and _goes_on(rows, up - first) else up,
        last if down - first + 1 < len(rows) and _goes_on(rows, down - first + 1) else down,
    )


def _goes_on(rows: Sequence[str], at: int) -> bool:
    """Whether a row continues a comment that the row before it is part of."""
    row, before = rows[at].strip(), rows[at - 1].strip()
    if row.startswith("*"):
        return before.startswith(("/*", "*")) and not before.endswith("*/")
    return any(
        row.startswith(mark) and before.startswith(mark) for mark in _LINE_COMMENTS
    ) and not (row.startswith(("#include", "#define", "#if", "#e")))


def _is_piece(rows: Sequence[str], first: int, span: tuple[int, int]) -> bool:
    """Whether it is a line or two out of a comment, which say nothing."""
    begin, last = span
    inside = begin > first and _goes_on(rows, begin - first)
    held = [row.strip() for row in rows[begin - first : last - first + 1]]
    return (
        inside
        and len(held) <= LineWeights.PIECE
        and all(row.startswith(_CONTINUED_COMMENTS) for row in held)
    )


def _trimmed_span(rows: Sequence[str], first: int, span: tuple[int, int]) -> tuple[int, int]:
    begin, last = span
    while begin < last and not rows[begin - first].strip():
        begin += 1
    while last > begin and not rows[last - first].strip():
        last -= 1
    return begin, last
