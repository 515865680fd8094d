"""Patterns of an exact search: the words that a match requires, and matching in a text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import LineScan
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.exact.candidates import Required
from repo_mcp.search.exact.query import FILE, ExactQuery, ScannedFile
from repo_mcp.search.line_matches import PlacedLine, Span, columns_of
from repo_mcp.search.matching_lines import (
    LineCounter,
    Matches,
    MatchingLines,
    lines_of_part,
    lines_with_spans,
    nonempty_spans,
)
from repo_mcp.search.regex.needles import required_clauses
from repo_mcp.search.regex.parser import WRITTEN, parse
from repo_mcp.search.regex.program import CompiledExpression, compile_expression
from repo_mcp.search.regex.tree import Char, Concatenation, Node, literal

MAX_LITERAL: Final = 2000
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# non-ASCII characters that fold to an ASCII letter (long s, kelvin sign), and these letters
_UNEVEN: Final = ("\u017f".encode(), "\u212a".encode())
_UNEVEN_LETTERS: Final = frozenset("sk")
# files are matched by something else
_NOTHING: Final = LineScan()
_ASCII: Final = re.compile(r"[\x00-\x7f]+")


class SearchedText:
    """The lines of a file in UTF-8, and the derived forms for matching in any letter case."""

    def __init__(self, rows: bytes) -> None:
        self.rows = rows

    @cached_property
    def lowered(self) -> bytes:
        """The lines with ASCII letters in lower case; offsets are the same."""
        return self.rows.lower()

    @cached_property
    def is_uneven(self) -> bool:
        """True if it has non-ASCII characters that fold to ASCII letters."""
        return not self.rows.isascii() and any(mark in self.rows for mark in _UNEVEN)


class LiteralPattern:
    """A literal in its exact letter case."""

    def __init__(self, text: str) -> None:
        self.across_lines = "\n" in text
        self._text = text.encode()
        self.is_ascii = text.isascii()

    def may_match(self, data: bytes) -> bool:
        """True if a file's bytes may contain the literal; cheaper than decoding."""
        return not self.is_ascii or self._text in data or data.startswith(_UTF_16)

    @property
    def needle(self) -> LineScan:
        """A text that all plain ASCII lines with a match hold."""
        return LineScan(self._text)

    def matches(self, text: SearchedText) -> Matches:
        """The matches in a text."""
        return _LiteralMatches(self._text, text.rows)


class CaselessPattern:
    """A literal in any letter case; searched as lower-case bytes where only ASCII can match."""

    def __init__(self, text: str) -> None:
        self.across_lines = "\n" in text
        self._text = text
        self._lowered = text.lower().encode()
        # its longest ASCII run: every text with a match contains it, except uneven texts
        self._sure = max(_ASCII.findall(text), key=len, default="").lower().encode()
        self.is_ascii = text.isascii()
        self._is_even = self.is_ascii and _UNEVEN_LETTERS.isdisjoint(text.lower())

    @property
    def needle(self) -> LineScan:
        """As of a literal; other letters may stand for ASCII ones."""
        return LineScan(self._lowered, fold=True) if self.is_ascii else _NOTHING

    def matches(self, text: SearchedText) -> Matches:
        """The matches in a text."""
        if self._is_even or (self.is_ascii and not text.is_uneven):
            return _LiteralMatches(self._lowered, text.lowered)
        if self._sure not in text.lowered and not text.is_uneven:
            return _LiteralMatches(self._sure, text.lowered)
        return self._expression.spans(text.rows)

    @cached_property
    def _expression(self) -> CompiledExpression:
        return compile_expression(literal(self._text, folded=True), is_literal=True)


class ExpressionPattern:
    """A regular expression, or a whole-word literal."""

    def __init__(self, found: CompiledExpression, needle: LineScan = _NOTHING) -> None:
        """`needle` is what plain ASCII lines with a match hold, if that is all they need."""
        self.expression = found
        self.across_lines = found.across_lines
        self.needle = needle

    def matches(self, text: SearchedText) -> Matches:
        """The matches in a text."""
        return self.expression.spans(text.rows)


Pattern = LiteralPattern | CaselessPattern | ExpressionPattern


def build_pattern(
    body: Node, *, whole_word: bool, is_literal: bool = False, across_lines: bool = False
) -> Pattern:
    """The quickest way to match an expression; one that is too large is a `Problem`."""
    plain = None if across_lines and not is_literal else _literal_pattern(body)
    if plain is not None and not whole_word:
        return plain
    is_decided = plain is not None and plain.is_ascii
    needle = plain.needle._replace(word=True) if plain is not None and is_decided else _NOTHING
    expression = compile_expression(
        body, whole_word=whole_word, is_literal=is_literal, across_lines=across_lines
    )
    return ExpressionPattern(expression, needle)


def _literal_pattern(body: Node) -> LiteralPattern | CaselessPattern | None:
    """The quickest way to match an expression that is a text as it stands; None for another."""
    items = body.items if isinstance(body, Concatenation) else (body,)
    plain = [item for item in items if isinstance(item, Char)]
    text = "".join(item.value for item in plain)
    folds = {item.folded and item.value.lower() != item.value.upper() for item in plain}
    if not text or len(plain) < len(items):
        return None
    if folds == {False}:
        return LiteralPattern(text)
    return CaselessPattern(text) if all(item.folded for item in plain) else None


class _LiteralMatches:
    """The occurrences of a byte string in another."""

    skipped_lines = searches = 0
    in_parts = False

    def __init__(self, needle: bytes, text: bytes) -> None:
        self._needle = needle
        self._text = text

    def iter_spans(
        self,
        end: int,
        begin: int = 0,
        *,
        one_a_line: bool = False,  # noqa: ARG002 the next one costs too little to leave it out
    ) -> Iterator[Span]:
        """The occurrences between two offsets."""
        needle, find = self._needle, self._text.find
        size = len(needle)
        at = find(needle, begin, end)
        while at >= 0:
            yield at, at + size
            at = find(needle, at + size, end)


class LineMatcher:
    """Finds the lines of a file that match a query.

    `required` has the clauses of each line of a match.
    """

    def __init__(self, patterns: Sequence[Pattern], required: Required, query: ExactQuery) -> None:
        self.required = required
        self._patterns = patterns
        self._query = query
        # true if a match may go over the end of a line
        self.across_lines = any(item.across_lines for item in patterns)
        self._literals = [item for item in patterns if isinstance(item, LiteralPattern)]

    def may_match(self, data: bytes) -> bool:
        """True if a file's bytes may match; a cheap test before decoding."""
        if self._query.inverted or self.across_lines:
            return True
        return all(item.may_match(data) for item in self._literals)

    @property
    def needle(self) -> LineScan:
        """A text that decides about a plain ASCII line; empty if that takes several texts."""
        query = self._query
        plain = query.scope != FILE and not query.context and not query.inverted
        if len(self._patterns) > 1 or self.across_lines or not plain:
            return _NOTHING
        return self._patterns[0].needle

    @property
    def needs_first(self) -> bool:
        """True if a file without a match of the first pattern, each in one line, has none."""
        return not (self._query.inverted or self.across_lines)

    def first_matches(self, rows: bytes) -> Matches:
        """The matches of the first pattern."""
        return self._patterns[0].matches(SearchedText(rows))

    def lines_of(self, rows: bytes) -> Iterator[PlacedLine]:
        """Begin and end of lines that all match, and where, if that is asked for."""
        if self._query.columns:
            return lines_with_spans(rows, self.first_matches(rows))
        return ((begin, end, ()) for begin, end in lines_of_part(rows, 0, len(rows)))

    def line_numbers(self, rows: bytes) -> Iterable[int]:
        """The lines in which matches of the first pattern begin, from 1."""
        counter = LineCounter(rows)
        spans = self.first_matches(rows).iter_spans(len(rows), one_a_line=True)
        return dict.fromkeys(counter.number(start) for start, _ in spans)

    def columns_of(self, line: str) -> tuple[Span, ...]:
        """The characters of a line that the first pattern matches."""
        data = line.encode("utf-8", "replace")  # of a lone surrogate, one character as well
        if not self._query.columns:
            return ()
        return columns_of(data, 0, nonempty_spans(self.first_matches(data), len(data)))

    def match_file(self, path: str, rows: bytes, most: int | None) -> ScannedFile:
        """A file with the number of its matching lines, and the first `most` of them."""
        text = SearchedText(rows)
        query = self._query
        found = MatchingLines(path, rows, query.context, query.most_searches, columns=query.columns)
        several = [pattern.matches(text) for pattern in self._patterns]
        if self._query.inverted:
            found.collect_others(several[0], most)
        elif self._query.scope == FILE:
            found.collect_first(several, most)
        elif self.across_lines and query.whole_matches:
            found.collect_matches(several[0], most, crossing=query.line_ends != WRITTEN)
        elif self.across_lines:
            found.collect_multiline(several[0], most)
        else:
            found.collect(several, most, counted=query.counted)
        return ScannedFile(
            path,
            found.count,
            found.lines,
            skipped=sum(matches.skipped_lines for matches in several),
            searches=sum(matches.searches for matches in several),
            in_parts=any(matches.in_parts for matches in several),
        )


def build_matcher(query: ExactQuery) -> LineMatcher:
    """The matcher of a query; an invalid pattern is a `Problem`."""
    made: list[Pattern] = []
    lines: list[tuple[Clause, ...]] = []
    for text in query.patterns:
        pattern, required = _parse_pattern(text, query)
        made.append(pattern)
        lines += required
    if len(made) > 1 and any(pattern.across_lines for pattern in made):
        raise Problem("argument_invalid", "with several patterns, none may span several lines")
    if query.inverted:
        lines = []
    elif query.scope != FILE and len(made) > 1:
        lines = [tuple(clause for line in lines for clause in line)]
    return LineMatcher(made, lines, query)


def _parse_pattern(text: str, query: ExactQuery) -> tuple[Pattern, list[tuple[Clause, ...]]]:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("argument_invalid", "the pattern has a lone surrogate") from None
    folded = query.ignore_case
    if query.regex:
        body, across_lines = parse(text, folded=folded, line_ends=query.line_ends)
    else:
        text = text.replace("\r\n", "\n")
        if not 0 < len(text) <= MAX_LITERAL:
            raise Problem("argument_invalid", f"a literal has 1 to {MAX_LITERAL} characters")
        folded = folded and text.lower() != text.upper()
        body, across_lines = literal(text, folded=folded), "\n" in text
    pattern = build_pattern(
        body,
        whole_word=query.whole_word,
        is_literal=not query.regex,
        across_lines=across_lines,
    )
    if not query.regex:
        return pattern, _clauses_by_line(text, folded=folded, whole_word=query.whole_word)
    clauses = (
        pattern.expression.required_clauses
        if isinstance(pattern, ExpressionPattern)
        else required_clauses(body)
    )
    return pattern, _apart(clauses) if across_lines else [clauses]


def _apart(clauses: Sequence[Clause]) -> list[tuple[Clause, ...]]:
    """Clauses of a match across lines: each may be met on another line, by one needle."""
    return [
        (tuple((max(branch, key=lambda needle: len(needle.text)),) for branch in clause),)
        for clause in clauses
    ]


def _clauses_by_line(text: str, *, folded: bool, whole_word: bool) -> list[tuple[Clause, ...]]:
    """The clauses of each line of a literal; its inner line ends are word boundaries."""
    rows = text.split("\n")
    last = len(rows) - 1
    return [
        required_clauses(
            literal(row, folded=folded),
            left=whole_word or number > 0,
            right=whole_word or number < last,
        )
        for number, row in enumerate(rows)
    ]
