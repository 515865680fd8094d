"""Marks the lines of a text with the words of a question that stand in them, a bit for each.

Compiled code does most of it where there is any; lines with words that are not plain are looked at
here in any case. Both ways give the same marks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from repo_mcp.text.line_spans import LINES, Lines
from repo_mcp.text.words import LONG_WORD, TermFinder, folded

# as many bits as compiled code has for them
_MOST_TERMS: Final = 62


class Marker:
    """Looks for the terms of one question."""

    def __init__(self, terms: Sequence[str], lines: Lines | None = LINES) -> None:
        """The first term has the lowest bit; without compiled code for lines it does all itself."""
        self.finder = TermFinder(terms)
        self._bits = {term: 1 << number for number, term in enumerate(terms)}
        self._folded = [folded(term) for term in terms]
        self._encoded = tuple(term.encode("utf-8", "surrogatepass") for term in terms)
        self._lines = lines if len(terms) <= _MOST_TERMS else None

    def mark(self, text: str) -> int:
        """The terms in a text, whatever its lines."""
        mark = 0
        for term in self.finder.found_in(text):
            mark |= self._bits[term]
        return mark

    def terms_of(self, mark: int) -> frozenset[str]:
        """The terms that a mark stands for."""
        return frozenset([term for term, bit in self._bits.items() if mark & bit])

    def marks(self, rows: Sequence[str]) -> dict[int, int]:
        """By number of the line, in order, the marks of those that have any."""
        if self._lines is None:
            return self._looked_at(rows, self._likely(rows))
        try:
            numbers, marks, unsure = self._lines.marks("\n".join(rows), self._encoded)
        except UnicodeEncodeError:  # half a character
            return self._looked_at(rows, range(len(rows)))
        found = dict(zip(numbers, marks, strict=True))
        if not unsure:
            return found
        found.update(self._looked_at(rows, unsure))
        return {number: found[number] for number in sorted(found)}

    def _looked_at(self, rows: Sequence[str], numbers: Sequence[int]) -> dict[int, int]:
        both = ((number, self.mark(rows[number])) for number in numbers)
        return {number: mark for number, mark in both if mark}

    def _likely(self, rows: Sequence[str]) -> Sequence[int]:
        """The lines that hold a term somewhere, be it within a word."""
        if LONG_WORD in self._bits:  # which is written in no line
            return range(len(rows))
        text = folded("\n".join(rows))
        starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
        if starts[-1] != len(text) + 1:  # small letters that are longer than capital ones
            starts = list(accumulate((len(folded(row)) + 1 for row in rows), initial=0))
        found: set[int] = set()
        for term in self._folded:
            at = text.find(term)
            while at >= 0:
                line = bisect_right(starts, at) - 1
                found.add(line)
                at = text.find(term, starts[line + 1])
        return sorted(found)
