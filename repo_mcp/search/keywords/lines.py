"""Finds the lines of one file that hold keywords, and what is shown of them.

Letter case is equal as Unicode's simple case folding has it, so that a file's lines don't depend on
how it is encoded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Final, NamedTuple

from repo_mcp.search.matching_lines import rows_of
from repo_mcp.search.regex.program import Expression, literal_expression

MOST_PREVIEW: Final = 200
# how much of a long line is shown before what was looked for
_BEFORE: Final = 60
_MORE: Final = "…"
# characters beyond ASCII that stand for an ASCII letter in any letter case, and these letters
_UNEVEN: Final = ("\u017f".encode(), "\u212a".encode())
_UNEVEN_LETTERS: Final = frozenset("sk")
_ASCII: Final = re.compile(r"[\x00-\x7f]+")

# the next place of a keyword from a place on, -1 where there is none
Next = Callable[[int], int]


class KeywordLine(NamedTuple):
    """A line that holds what was looked for, counted from 1."""

    line: int
    preview: str


class Rows(NamedTuple):
    """The lines of a file in UTF-8, each with its end; besides with all ASCII letters small.

    `uneven` tells of characters beyond ASCII that stand for ASCII letters.
    """

    data: bytes
    small: bytes
    uneven: bool

    @classmethod
    def of(cls, data: bytes) -> Rows | None:
        """Those of a file; None of one that is binary."""
        rows = rows_of(data)
        if rows is None:
            return None
        uneven = not rows.isascii() and any(mark in rows for mark in _UNEVEN)
        return cls(rows, rows.lower(), uneven)


class Keyword:
    """One word or phrase, to be found in texts."""

    def __init__(self, text: str, *, case_sensitive: bool) -> None:
        """Prepare for texts in any letter case, or as it is written."""
        self.text = text
        caseless = text.lower() == text.upper()
        self._exact = case_sensitive or caseless
        self._bytes = (text if self._exact else text.lower()).encode()
        self._plain = text.isascii()
        runs = [text] if caseless else _ASCII.findall(text)
        # in small letters in all that holds it and is not uneven; empty if nothing is sure
        self.sure = max(runs, key=len, default="").lower().encode()
        self._even = self._plain and _UNEVEN_LETTERS.isdisjoint(text.lower())

    def may_be_in(self, rows: Rows) -> bool:
        """Whether a text may hold it; quick."""
        return self.sure in rows.small or (rows.uneven and not self._even)

    def next_in(self, rows: Rows) -> Next:
        """Where it stands in a text."""
        if self._exact:
            return partial(rows.data.find, self._bytes)
        if self._is_plain_in(rows):
            return partial(rows.small.find, self._bytes)
        spans = self._expression.spans(rows.data).each(len(rows.data) - 1)
        return partial(_following, [start for start, _ in spans])

    @cached_property
    def _expression(self) -> Expression:
        """It in any letter case, for the few texts that need it."""
        return literal_expression(self.text, ignore_case=True, whole_word=False)

    def _is_plain_in(self, rows: Rows) -> bool:
        """Whether nothing but its ASCII letters, large or small, can stand for it."""
        return self._even or (self._plain and not rows.uneven)


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
