"""Finds the lines of one file that hold keywords, and what is shown of them.

Letter case is equal as Unicode's simple case folding has it, so that a file's lines don't depend on
how it is encoded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from repo_mcp.search.expression import Expression, literal_expression
from repo_mcp.search.lines_found import rows_of

MOST_PREVIEW: Final = 200
# how much of a long line is shown before what was looked for
_BEFORE: Final = 60
_MORE: Final = "…"

# the next place of a keyword from a place on, -1 where there is none
Next = Callable[[int], int]


class KeywordLine(NamedTuple):
    """A line that holds what was looked for, counted from 1."""

    line: int
    preview: str


class Rows(NamedTuple):
    """The lines of a file in UTF-8, each with its end; in small letters where they are ASCII."""

    data: bytes
    small: bytes | None

    @classmethod
    def of(cls, data: bytes, wanted: Sequence[Keyword]) -> Rows | None:
        """Those of a file that may hold all keywords; None of one that can't, or is binary."""
        small = data.lower() if data.isascii() else None
        if small is not None and not all(item.may_be_in(data, small) for item in wanted):
            return None
        rows = rows_of(data)
        if not rows:
            return None
        if rows is not data:
            small = rows.lower() if rows.isascii() else None
        return cls(rows, small)


class Keyword:
    """One word or phrase, to be found in texts."""

    def __init__(self, text: str, *, case_sensitive: bool) -> None:
        """Prepare for texts in any letter case, or as it is written."""
        self._exact = case_sensitive or text.lower() == text.upper()
        self._bytes = (text if self._exact else text.lower()).encode()
        self._plain = text.isascii()
        self._expression: Expression | None = None
        if not self._exact:
            self._expression = literal_expression(text, ignore_case=True, whole_word=False)

    def may_be_in(self, data: bytes, small: bytes) -> bool:
        """Whether a plain ASCII file, given as it is and in small letters, may hold it; quick."""
        return not self._plain or self._bytes in (data if self._exact else small)

    def next_in(self, rows: Rows) -> Next:
        """Where it stands in a text."""
        if self._expression is None:
            return partial(rows.data.find, self._bytes)
        if self._plain and rows.small is not None:
            return partial(rows.small.find, self._bytes)
        spans = self._expression.spans(rows.data).each(len(rows.data) - 1)
        return partial(_following, [start for start, _ in spans])


def lines_with_all(rows: Rows, wanted: Sequence[Keyword], most: int) -> list[KeywordLine]:
    """The first lines that hold every keyword: to each line that lacks one, it is leapt from."""
    data, finders = rows.data, [keyword.next_in(rows) for keyword in wanted]
    found: list[KeywordLine] = []
    counted, number, at = 0, 1, 0
    while len(found) < most:
        first = last = -1
        for find in finders:
            place = find(at)
            if place < 0:
                return found
            first = place if first < 0 else min(first, place)
            last = max(last, place)
        begin = data.rfind(b"\n", at, last) + 1 or at
        at = begin
        if first >= begin:
            end = data.find(b"\n", last)
            number += data.count(b"\n", counted, begin)
            counted = begin
            found.append(KeywordLine(number, _preview(data, begin, end, first)))
            at = end + 1
    return found


def first_lines_of_each(rows: Rows, wanted: Sequence[Keyword]) -> list[KeywordLine]:
    """Of a file that holds every keyword, the first line with each; of any other none."""
    data, found = rows.data, dict[int, KeywordLine]()
    for keyword in wanted:
        at = keyword.next_in(rows)(0)
        if at < 0:
            return []
        begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        number = data.count(b"\n", 0, begin) + 1
        found.setdefault(number, KeywordLine(number, _preview(data, begin, end, at)))
    return [found[number] for number in sorted(found)]


def _following(places: Sequence[int], at: int) -> int:
    number = bisect_left(places, at)
    return places[number] if number < len(places) else -1


def _preview(rows: bytes, begin: int, end: int, at: int) -> str:
    """The line without blanks around it; of a long one the part with what was looked for."""
    text = rows[begin:end].decode()
    if len(text) > MOST_PREVIEW:
        before = len(rows[begin:at].decode())
        lead = len(text) - len(text.lstrip())
        start = max(before - _BEFORE, lead) if before - lead > _BEFORE else lead
        stop = min(start + MOST_PREVIEW, len(text))
        left = _MORE if start > lead else ""
        return f"{left}{text[start:stop].rstrip()}{_MORE if text[stop:].strip() else ''}"
    return text.strip()
