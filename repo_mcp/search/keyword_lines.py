"""Finds the lines of one file that hold keywords, and what is shown of them.

Letter case is equal as Unicode's simple case folding has it, so that a file's lines don't depend on
how it is encoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from repo_mcp.search.expression import Expression, literal_expression
from repo_mcp.search.lines_found import Span, rows_of

MOST_PREVIEW: Final = 200
# how much of a long line is shown before what was looked for
_BEFORE: Final = 60
_MORE: Final = "…"


class KeywordLine(NamedTuple):
    """A line that holds what was looked for, counted from 1."""

    line: int
    preview: str


class Keyword:
    """One word or phrase, to be found in texts."""

    def __init__(self, text: str, *, case_sensitive: bool) -> None:
        """Prepare for texts in any letter case, or as it is written."""
        self._exact = case_sensitive or text.lower() == text.upper()
        self._bytes = (text if self._exact else text.lower()).encode()
        self._plain = text.isascii()
        self.size = len(self._bytes)
        # what stands in small letters for it
        self.sample = text.lower().encode()
        self._expression: Expression | None = None
        if not self._exact:
            self._expression = literal_expression(text, ignore_case=True, whole_word=False)

    def may_be_in(self, data: bytes, small: bytes) -> bool:
        """Whether a plain ASCII file, given as it is and in small letters, may hold it; quick."""
        return not self._plain or self._bytes in (data if self._exact else small)

    def spans(self, rows: Rows, begin: int, end: int) -> Iterator[Span]:
        """Its places between two places of the lines."""
        haystack = rows.data if self._exact else rows.small
        if haystack is not None and (self._exact or self._plain):
            at = haystack.find(self._bytes, begin, end)
            while at >= 0:
                yield at, at + self.size
                at = haystack.find(self._bytes, at + self.size, end)
        elif self._expression is not None:
            part = rows.data if end - begin == len(rows.data) - 1 else rows.data[begin : end + 1]
            shift = 0 if part is rows.data else begin
            for start, stop in self._expression.spans(part).each(end - shift):
                yield start + shift, stop + shift


class Rows(NamedTuple):
    """The lines of a file in UTF-8, and in small letters where they are plain ASCII."""

    data: bytes
    small: bytes | None

    @classmethod
    def of(cls, data: bytes, wanted: Sequence[Keyword]) -> Rows | None:
        """Those of a file that may hold all keywords; None of one that can't, or is binary."""
        if data.isascii():
            small = data.lower()
            if not all(keyword.may_be_in(data, small) for keyword in wanted):
                return None
        rows = rows_of(data)
        if not rows:
            return None
        return cls(rows, rows.lower() if rows.isascii() else None)

    def count(self, keyword: Keyword) -> int:
        """About how often it is there: enough to begin with the rarest."""
        haystack = self.data if self.small is None else self.small
        return haystack.count(keyword.sample)


def lines_with_all(data: bytes, wanted: Sequence[Keyword], most: int) -> list[KeywordLine]:
    """The first lines that hold every keyword."""
    rows = Rows.of(data, wanted)
    if rows is None:
        return []
    found: list[KeywordLine] = []
    first, *others = sorted(wanted, key=rows.count) if len(wanted) > 1 else wanted
    counted, number, end = 0, 1, -1
    for span in first.spans(rows, 0, len(rows.data) - 1):
        if span[0] < end:
            continue
        begin = rows.data.rfind(b"\n", 0, span[0]) + 1
        end = rows.data.find(b"\n", span[0])
        if all(next(other.spans(rows, begin, end), None) is not None for other in others):
            number += rows.data.count(b"\n", counted, begin)
            counted = begin
            found.append(KeywordLine(number, _preview(rows.data, begin, end, span[0])))
            if len(found) == most:
                break
    return found


def first_lines_of_each(data: bytes, wanted: Sequence[Keyword]) -> list[KeywordLine]:
    """Of a file that holds every keyword, the first line with each; of any other none."""
    rows = Rows.of(data, wanted)
    if rows is None:
        return []
    found: dict[int, KeywordLine] = {}
    for keyword in wanted:
        span = next(keyword.spans(rows, 0, len(rows.data) - 1), None)
        if span is None:
            return []
        begin = rows.data.rfind(b"\n", 0, span[0]) + 1
        end = rows.data.find(b"\n", span[0])
        number = rows.data.count(b"\n", 0, begin) + 1
        found.setdefault(number, KeywordLine(number, _preview(rows.data, begin, end, span[0])))
    return [found[number] for number in sorted(found)]


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
