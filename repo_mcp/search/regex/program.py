"""Compiled regular expressions: the clauses that they require, and their matches in a text.

The engine is RE2, whose time is linear in the text. Bounded here are the size of an expression, and
the length of the text that one call searches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import re2  # type: ignore[import-untyped]  # it brings no types

from repo_mcp.errors import Problem
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.line_matches import MAX_SPANS, Span
from repo_mcp.search.regex.needles import required_clauses
from repo_mcp.search.regex.text import Dialect, write_expression
from repo_mcp.search.regex.tree import (
    Assertion,
    Concatenation,
    Node,
    begins_with_word,
    ends_with_word,
    may_be_empty,
    most_line_feeds,
    nodes_of,
)

_MAX_MEMORY: Final = 32 << 20
_MAX_PROGRAM: Final = 100_000
# steps of one call of the engine: seconds, if its fast paths don't apply
_MAX_STEPS: Final = 1 << 29
# calls of the engine for the places of one line, where most matches may be empty
_MOST_SEARCHES: Final = 10 * MAX_SPANS
_REMEMBERED: Final = 4
# in UTF-8, a byte of a character that is not its first: 10xxxxxx
_LEADING_BITS: Final = 0xC0
_CONTINUES: Final = 0x80
_OTHER: Final = re.compile(rb"[\x80-\xff]")
_BOUNDARIES: Final = frozenset({Assertion.BOUNDARY, Assertion.INSIDE})
_UNKNOWN_SET: Final = "invalid character class range"


class CompiledExpression:
    """A compiled expression; finds matches in UTF-8 text whose lines each end with a line feed."""

    def __init__(
        self,
        body: Node,
        *,
        whole_word: bool,
        is_literal: bool = False,
        across_lines: bool = False,
    ) -> None:
        """Compiles for ASCII, so that an expression that RE2 refuses fails here."""
        self._is_literal = is_literal
        self.across_lines = across_lines
        self._stepwise = may_be_empty(body)
        self._feeds = most_line_feeds(body)
        self._left, body, self._right = _framed(body, whole_word=whole_word)
        self.body = body
        # true if edges of words are asked for at its ends, and inside, where RE2 knows ASCII alone
        self.is_framed = self._left or self._right
        self.is_bounded_inside = any(node in _BOUNDARIES for node in nodes_of(body))
        self._plain = self._program(Dialect.ASCII)
        self._unicode: _Program | None = None
        self._too_large = False

    @property
    def required_clauses(self) -> tuple[Clause, ...]:
        """The clauses of each matching line."""
        return required_clauses(self.body, left=self._left, right=self._right)

    def spans(self, rows: bytes) -> Spans:
        """The matches in a text."""
        plain = rows.isascii()
        program = None if plain else self._for_unicode()
        return Spans(
            program or self._plain,
            rows,
            ascii_only=not plain and program is None,
            bounded=not self._is_literal,
            across_lines=self.across_lines,
            stepwise=self._stepwise,
            feeds=self._feeds,
        )

    def _for_unicode(self) -> _Program | None:
        """The Unicode program, compiled on first use; None if it is too large."""
        if self._unicode is None and not self._too_large:
            try:
                self._unicode = self._program(Dialect.UNICODE)
            except Problem:
                self._too_large = True
        return self._unicode

    def _program(self, dialect: Dialect) -> _Program:
        text, group = write_expression(self.body, dialect, left=self._left, right=self._right)
        return _Program(text, group, dialect)


@lru_cache(maxsize=_REMEMBERED)
def compile_expression(
    body: Node,
    *,
    whole_word: bool = False,
    is_literal: bool = False,
    across_lines: bool = False,
) -> CompiledExpression:
    """Compiles an expression; one that is too large is a `Problem`."""
    return CompiledExpression(
        body, whole_word=whole_word, is_literal=is_literal, across_lines=across_lines
    )


def _framed(body: Node, *, whole_word: bool) -> tuple[bool, Node, bool]:
    r"""Replaces a `\b` at an edge, next to a word character, by a whole-word flag for that edge."""
    items = body.items if isinstance(body, Concatenation) else (body,)
    left = right = whole_word
    if (
        not left
        and items[:1] == (Assertion.BOUNDARY,)
        and begins_with_word(Concatenation(items[1:]))
    ):
        left, items = True, items[1:]
    if (
        not right
        and items[-1:] == (Assertion.BOUNDARY,)
        and ends_with_word(Concatenation(items[:-1]))
    ):
        right, items = True, items[:-1]
    return left, items[0] if len(items) == 1 else Concatenation(items), right


class _Program:
    """An expression compiled by the engine for one dialect."""

    def __init__(self, text: str, group: int, dialect: Dialect) -> None:
        options = re2.Options()
        options.max_mem = _MAX_MEMORY
        options.log_errors = False
        if dialect is Dialect.ASCII:
            options.encoding = re2.Options.Encoding.LATIN1
        self.group = group
        self.regex: Any = _compiled(text, options)
        size = max(self.regex.programsize, 1)
        if size > _MAX_PROGRAM:
            raise _too_large()
        self.most_bytes = _MAX_STEPS // size


def _compiled(text: str, options: Any) -> Any:  # noqa: ANN401 the engine brings no types
    try:
        return re2.compile(text.encode("ascii"), options)
    except re2.error as error:
        if _UNKNOWN_SET in str(error):
            raise Problem(
                "argument_invalid", r"expression: no character class has the name in \p{...}"
            ) from None
        raise _too_large() from None  # the parser has refused everything else
    finally:
        re2.purge()  # its cache keeps 128 expressions, each with its own memory limit


def _too_large() -> Problem:
    return Problem(
        "argument_invalid", "the expression is too large: use fewer repetitions or alternatives"
    )


class Spans:
    """The matches of an expression in one text."""

    def __init__(
        self,
        program: _Program,
        rows: bytes,
        *,
        ascii_only: bool,
        bounded: bool,
        across_lines: bool,
        stepwise: bool,
        feeds: int | None = None,
    ) -> None:
        """Without `bounded`, the text is searched in one call; over lines in parts.

        A match has at most so many line `feeds`, any number if that is None.
        """
        self._regex = program.regex
        self._group = program.group
        self._rows = rows
        self._most = program.most_bytes if bounded else len(rows)
        self._ascii_only = ascii_only
        self._across_lines = across_lines
        self._stepwise = stepwise or program.group > 0
        self.skipped_lines = self.searches = 0
        self._feeds = feeds
        # whether a match may be longer than what two pieces have in common
        self.in_parts = False

    def iter_spans(self, end: int, begin: int = 0, *, one_a_line: bool = False) -> Iterator[Span]:
        """The matches between the begin of a line and the end of one, in order."""
        if self._across_lines and self._is_too_much(self._rows):
            yield from self._overlapping(begin, end)
            return
        for start, stop in self._pieces(begin, end):
            if one_a_line and not self._across_lines:
                yield from self._firsts(start, stop)
            else:
                yield from self._matches(start, stop)

    def _matches(self, at: int, end: int) -> Iterator[Span]:
        if self._stepwise:
            yield from self._steps(at, end)
            return
        for found in self._regex.finditer(self._rows, at, end):
            self.searches += 1
            yield found.span()

    def _overlapping(self, at: int, end: int) -> Iterator[Span]:
        """The matches over line ends of a text that is too long for one call.

        A piece gives those that begin in its first half: they have the other half to end in.
        """
        skipped = 0
        self.in_parts = self._feeds is None or self._longest_line * (self._feeds + 1) > self._half
        while at <= end:
            stop, is_last = self._piece(at, end)
            if stop < 0:
                skipped += 1
                at = (self._rows.find(b"\n", at) + 1) or end + 1
                continue
            middle = self._rows.rfind(b"\n", at, (at + stop) // 2) + 1
            following = stop + 1 if is_last or not middle else middle
            for start, ended in self._matches(at, stop):
                if start >= following:
                    break
                yield start, ended
                following = max(following, ended)
            at = following
        self.skipped_lines = skipped

    @property
    def _longest_line(self) -> int:
        return max(map(len, self._rows.split(b"\n")))

    @property
    def _half(self) -> int:
        """The least that two pieces have in common, if no line is longer."""
        return self._most // 2 - 1

    def _piece(self, at: int, end: int) -> tuple[int, bool]:
        """The end of whole lines that one call can search, and whether lines behind are skipped.

        The end is -1 if the first of them is too long, or not ASCII where only that is searched.
        """
        last, rows = end, self._rows
        if self._ascii_only and (other := _OTHER.search(rows, at, end)) is not None:
            last = rows.rfind(b"\n", at, other.start())
        if last - at > self._most:
            return rows.rfind(b"\n", at, at + self._most), False
        return last, True

    def _firsts(self, at: int, end: int) -> Iterator[Span]:
        """The first match of each line that has one."""
        while at <= end and (span := self._search(at, end)) is not None:
            yield span
            at = self._rows.find(b"\n", span[0]) + 1 or end + 1

    def _steps(self, at: int, end: int) -> Iterator[Span]:
        """Matches one by one, as they may be empty and anywhere; of a line, not very many."""
        line_end, full, before = -1, 0, 0
        while at <= end and (span := self._search(at, end)) is not None:
            yield span
            start, stop = span
            if start > line_end:
                line_end, full, before = self._rows.find(b"\n", start), 0, self.searches
            full += start < stop
            enough = full == MAX_SPANS or self.searches - before >= _MOST_SEARCHES
            at = line_end + 1 if enough else max(stop, start + 1)

    def _search(self, at: int, end: int) -> Span | None:
        """The first match from an offset that is not inside a character, where one may be empty."""
        rows = self._rows
        while at <= end and (found := self._regex.search(rows, at, end)) is not None:
            self.searches += 1
            span: Span = found.span(self._group)
            at = span[0]
            if at == len(rows) or rows[at] & _LEADING_BITS != _CONTINUES:
                return span
            while at < end and rows[at] & _LEADING_BITS == _CONTINUES:
                at += 1
        return None

    def _pieces(self, at: int, end: int) -> Iterator[Span]:
        """Ranges of whole lines that one call can search; counts lines that are too long."""
        if self._across_lines:
            yield at, end
            return
        rows, most = self._rows, 0 if self._ascii_only else self._most
        while at <= end:
            stop = end if end - at <= most else rows.rfind(b"\n", at, at + most)
            if stop < 0:
                stop = rows.find(b"\n", at)
                if self._is_too_much(rows[at:stop]):
                    self.skipped_lines += 1
                    at = stop + 1
                    continue
            yield at, stop
            at = stop + 1

    def _is_too_much(self, line: bytes) -> bool:
        return len(line) > self._most or (self._ascii_only and not line.isascii())
