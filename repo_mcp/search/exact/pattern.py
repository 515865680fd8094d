"""Patterns of an exact search: the words a match requires, and the matches in a text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.exact.candidates import Required
from repo_mcp.search.exact.query import FILE, ExactQuery
from repo_mcp.search.matching_lines import FileMatches, Matches, Span
from repo_mcp.search.regex.needles import clauses
from repo_mcp.search.regex.program import Expression, expression, literal_expression
from repo_mcp.search.regex.tree import literal

MAX_LITERAL: Final = 2000
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# characters beyond ASCII that are an ASCII letter in another letter case, and these letters
_UNEVEN: Final = ("\u017f".encode(), "\u212a".encode())
_UNEVEN_LETTERS: Final = frozenset("sk")
_ASCII: Final = re.compile(r"[\x00-\x7f]+")


class SearchedText:
    """The lines of a file in UTF-8, and their forms that patterns of any letter case need."""

    def __init__(self, rows: bytes) -> None:
        self.rows = rows

    @cached_property
    def lowered(self) -> bytes:
        """The lines with all ASCII letters in lower case; places are the same."""
        return self.rows.lower()

    @cached_property
    def is_uneven(self) -> bool:
        """Whether it holds characters beyond ASCII that are ASCII letters in another case."""
        return not self.rows.isascii() and any(mark in self.rows for mark in _UNEVEN)


class LiteralPattern:
    """A text as it is written."""

    def __init__(self, text: str) -> None:
        self._text = text.encode()
        self._is_ascii = text.isascii()

    def may_match(self, data: bytes) -> bool:
        """Whether a file's bytes may hold it; decoding is the slower test."""
        return not self._is_ascii or self._text in data or data.startswith(_UTF_16)

    def matches(self, text: SearchedText) -> Matches:
        """Its places."""
        return _Places(self._text, text.rows)


class CaselessPattern:
    """A text in any letter case: by its bytes in lower case where only ASCII can stand for it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lowered = text.lower().encode()
        # all of it that is sure to be in any text that holds it, but for uneven ones
        self._sure = max(_ASCII.findall(text), key=len, default="").lower().encode()
        self._is_ascii = text.isascii()
        self._is_even = self._is_ascii and _UNEVEN_LETTERS.isdisjoint(text.lower())

    def matches(self, text: SearchedText) -> Matches:
        """Its places."""
        if self._is_even or (self._is_ascii and not text.is_uneven):
            return _Places(self._lowered, text.lowered)
        if self._sure not in text.lowered and not text.is_uneven:
            return _Places(self._sure, text.lowered)
        return self._expression.spans(text.rows)

    @cached_property
    def _expression(self) -> Expression:
        return literal_expression(self._text, ignore_case=True, whole_word=False)


class ExpressionPattern:
    """A regular expression, or a literal that must be a whole word."""

    def __init__(self, found: Expression) -> None:
        self._expression = found

    def matches(self, text: SearchedText) -> Matches:
        """Its matches."""
        return self._expression.spans(text.rows)


Pattern = LiteralPattern | CaselessPattern | ExpressionPattern


class _Places:
    """The places of some bytes in others."""

    skipped_lines = 0

    def __init__(self, needle: bytes, text: bytes) -> None:
        self._needle = needle
        self._text = text

    def each(self, end: int, begin: int = 0) -> Iterator[Span]:
        """Its places between these two."""
        needle, find = self._needle, self._text.find
        size = len(needle)
        at = find(needle, begin, end)
        while at >= 0:
            yield at, at + size
            at = find(needle, at + size, end)


class LineMatcher:
    """Finds the lines of a file that a query asks for.

    `required` holds, for each line of a match, the words that must be there.
    """

    def __init__(self, patterns: Sequence[Pattern], required: Required, query: ExactQuery) -> None:
        self.required = required
        self._patterns = patterns
        self._query = query
        self._across_lines = not query.regex and any("\n" in text for text in query.patterns)
        self._literals = [item for item in patterns if isinstance(item, LiteralPattern)]

    def may_match(self, data: bytes) -> bool:
        """Whether it is worth decoding a file; quick."""
        return self._across_lines or all(item.may_match(data) for item in self._literals)

    def look(self, path: str, rows: bytes, most: int | None) -> tuple[FileMatches, int]:
        """The lines that match, and how many lines were too long to be searched."""
        text = SearchedText(rows)
        found = FileMatches(path, rows, self._query.context)
        several = [pattern.matches(text) for pattern in self._patterns]
        if self._query.scope == FILE:
            found.look_first(several, most)
        elif len(several) > 1:
            found.look_all(several, most, counted=self._query.counted)
        elif self._across_lines:
            found.look_across(several[0], most)
        else:
            found.look(several[0], most, counted=self._query.counted)
        return found, sum(item.skipped_lines for item in several)


def matcher_of(query: ExactQuery) -> LineMatcher:
    """The matcher of a query; a `Problem` where a pattern is not a good one."""
    made: list[Pattern] = []
    lines: list[tuple[Clause, ...]] = []
    for text in query.patterns:
        pattern, required = _pattern(text, query)
        made.append(pattern)
        lines += required
    if len(made) > 1 and len(lines) > len(made):
        raise Problem("argument_invalid", "of several patterns none may go over several lines")
    if query.scope != FILE and len(made) > 1:
        lines = [tuple(clause for line in lines for clause in line)]
    return LineMatcher(made, lines, query)


def _pattern(text: str, query: ExactQuery) -> tuple[Pattern, list[tuple[Clause, ...]]]:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("argument_invalid", "the pattern holds half a character") from None
    whole_word = query.whole_word
    if query.regex:
        found = expression(text, ignore_case=query.ignore_case, whole_word=whole_word)
        return ExpressionPattern(found), [found.clauses]
    text = text.replace("\r\n", "\n")
    if not 0 < len(text) <= MAX_LITERAL:
        raise Problem("argument_invalid", f"a literal has 1 to {MAX_LITERAL} characters")
    folded = query.ignore_case and text.lower() != text.upper()
    required = _required(text, folded=folded, whole_word=whole_word)
    if whole_word:
        made = literal_expression(text, ignore_case=folded, whole_word=True)
        return ExpressionPattern(made), required
    return CaselessPattern(text) if folded else LiteralPattern(text), required


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
