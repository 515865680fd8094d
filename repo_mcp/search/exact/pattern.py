"""What is looked for, ready to be found: in the dictionary by needles, in a text by its matches."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.exact.candidates import Required
from repo_mcp.search.matching_lines import FileMatches, Span
from repo_mcp.search.regex.needles import clauses
from repo_mcp.search.regex.program import Expression, expression, literal_expression
from repo_mcp.search.regex.tree import literal

MAX_LITERAL: Final = 2000
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A literal, as bytes where that is all there is to it, or an expression."""

    required: Required
    literal: bytes | None
    expression: Expression | None
    across_lines: bool

    def may_match(self, data: bytes) -> bool:
        """Whether it is worth to look at the lines of a file; quick."""
        text = self.literal
        if text is None or self.across_lines or not text.isascii():
            return True
        return text in data or data.startswith(_UTF_16)

    def look(self, found: FileMatches, rows: bytes, most: int | None) -> int:
        """Find the lines that match; gives how many lines were too long to be searched."""
        look = found.look_across if self.across_lines else found.look
        if self.expression is None:
            look(_Literal(self.literal or b"", rows), most)
            return 0
        spans = self.expression.spans(rows)
        look(spans, most)
        return spans.skipped_lines


class _Literal:
    """The places of a literal in one text."""

    def __init__(self, literal: bytes, rows: bytes) -> None:
        self._literal = literal
        self._rows = rows

    def each(self, end: int) -> Iterator[Span]:
        """Its places before this one."""
        literal, find = self._literal, self._rows.find
        size = len(literal)
        at = find(literal, 0, end)
        while at >= 0:
            yield at, at + size
            at = find(literal, at + size, end)


def pattern_of(text: str, *, regex: bool, ignore_case: bool, whole_word: bool) -> Pattern:
    """The pattern that was asked for; what is wrong with it is a problem."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("argument_invalid", "the pattern holds half a character") from None
    if regex:
        found = expression(text, ignore_case=ignore_case, whole_word=whole_word)
        return Pattern([found.clauses], None, found, across_lines=False)
    text = text.replace("\r\n", "\n")
    if not 0 < len(text) <= MAX_LITERAL:
        raise Problem("argument_invalid", f"a literal has 1 to {MAX_LITERAL} characters")
    folded = ignore_case and text.lower() != text.upper()
    required = _required(text, folded=folded, whole_word=whole_word)
    if not folded and not whole_word:
        return Pattern(required, text.encode(), None, "\n" in text)
    made = literal_expression(text, ignore_case=folded, whole_word=whole_word)
    return Pattern(required, None, made, "\n" in text)


def _required(text: str, *, folded: bool, whole_word: bool) -> list[tuple[Clause, ...]]:
    """What each line of a literal requires; its inner line ends end words."""
    rows = text.split("\n")
    last = len(rows) - 1
    return [
        clauses(
            literal(row, folded=folded),
            left=whole_word or number > 0,
            right=whole_word or number < last,
        )
        for number, row in enumerate(rows)
    ]
