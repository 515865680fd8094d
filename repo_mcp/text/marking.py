"""Finds the lines of a text that contain terms of a query, and where in a line they stand.

A mark is a number with a bit for each term. Compiled code marks most lines; those with words that
are not ASCII, or too long, are marked in Python. Both give the same marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import Final

from index_format.analysis.words import (
    LONG_WORD,
    MAX_WORD,
    WORD,
    TermFinder,
    folded,
    split_identifier,
)
from repo_mcp.native import NATIVE, ServerNative

_WORD: Final = re.compile(WORD)


class Marker:
    """Marks lines with the terms of one query."""

    def __init__(self, terms: Sequence[str], native: ServerNative | None = NATIVE) -> None:
        """Assign a bit to each term, the lowest to the first."""
        self.finder = TermFinder(terms)
        self._bits = {term: 1 << number for number, term in enumerate(terms)}
        # by mark, its terms
        self._terms: dict[int, frozenset[str]] = {}
        self._folded = [folded(term) for term in terms]
        self.encoded = tuple(term.encode("utf-8", "surrogatepass") for term in terms)
        self._native = native

    def mark(self, text: str) -> int:
        """The mark of a text as a whole."""
        mark = 0
        for term in self.finder.found_in(text):
            mark |= self._bits[term]
        return mark

    def terms_of(self, mark: int) -> frozenset[str]:
        """The terms of a mark."""
        found = self._terms.get(mark)
        if found is None:
            found = frozenset([term for term, bit in self._bits.items() if mark & bit])
            self._terms[mark] = found
        return found

    def marks(self, rows: Sequence[str]) -> dict[int, int]:
        """Marks by line number, in order, of the lines that contain terms."""
        text = "\n".join(rows)
        if text.count("\n") >= max(len(rows), 1):  # a name may be written on two lines
            return self._mark_each(rows, range(len(rows)))
        if self._native is None:
            return self._mark_each(rows, self._candidates(rows))
        most = self._native.MAX_TERMS
        found: dict[int, int] = {}
        unsure: Sequence[int] = ()
        for begin in range(0, len(self.encoded), most):
            try:
                some = self._native.mark_lines(text, self.encoded[begin : begin + most])
            except UnicodeEncodeError:  # a lone surrogate
                return self._mark_each(rows, range(len(rows)))
            numbers, marks, unsure = some
            for number, mark in zip(numbers, marks, strict=True):
                found[number] = found.get(number, 0) | mark << begin
        if not unsure and len(self.encoded) <= most:
            return found
        found.update(self._mark_each(rows, unsure))
        return {number: found[number] for number in sorted(found)}

    def _mark_each(self, rows: Sequence[str], numbers: Sequence[int]) -> dict[int, int]:
        marks = ((number, self.mark(rows[number])) for number in numbers)
        return {number: mark for number, mark in marks if mark}

    def _candidates(self, rows: Sequence[str]) -> Sequence[int]:
        """The lines that contain a term anywhere, even within a word."""
        if LONG_WORD in self._bits:  # it stands for words with other spellings
            return range(len(rows))
        text = folded("\n".join(rows))
        starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
        if starts[-1] != len(text) + 1:  # some lower-case letters are longer than upper-case ones
            starts = list(accumulate((len(folded(row)) + 1 for row in rows), initial=0))
        found: set[int] = set()
        for term in self._folded:
            at = text.find(term)
            while at >= 0:
                line = bisect_right(starts, at) - 1
                found.add(line)
                at = text.find(term, starts[line + 1])
        return sorted(found)


def term_spans(row: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Spans of the terms in a line: words, or parts of identifiers."""
    for word in _WORD.finditer(row):
        whole = word[0]
        if whole.lower() in terms:
            yield word.span()
        elif len(whole) <= MAX_WORD:
            at = word.start()
            for part in split_identifier(whole):
                at = row.index(part, at)
                if part.lower() in terms:
                    yield at, at + len(part)
                at += len(part)
