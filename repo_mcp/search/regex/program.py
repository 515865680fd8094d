"""A regular expression that was read: what it requires of a line, and where in a text it matches.

The engine is RE2: its time is linear in the text, whatever the expression. What is large all the
same is bounded here: expressions by their size, pieces of text by what they can take.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import re2  # type: ignore[import-untyped]  # it brings no types

from repo_mcp.errors import Problem
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.matching_lines import MOST_SPANS, Span
from repo_mcp.search.regex.needles import clauses
from repo_mcp.search.regex.parser import parse
from repo_mcp.search.regex.text import Dialect, whole
from repo_mcp.search.regex.tree import (
    Concatenation,
    Node,
    Place,
    begins_with_word,
    ends_with_word,
    literal,
    may_be_empty,
)

_MAX_MEMORY: Final = 32 << 20
_MAX_PROGRAM: Final = 100_000
# steps that one call of the engine may take at most: seconds, where its fast ways are of no use
_MAX_STEPS: Final = 1 << 29
_REMEMBERED: Final = 4
_UNKNOWN_SET: Final = "invalid character class range"


class Expression:
    """Finds its matches in texts of UTF-8 whose lines each end with a line feed."""

    def __init__(self, body: Node, *, whole_word: bool, is_literal: bool = False) -> None:
        """Compile for ASCII, which shows whether the engine takes it at all."""
        self._is_literal = is_literal
        self._stepwise = may_be_empty(body)
        self._left, body, self._right = _framed(body, whole_word=whole_word)
        self._body = body
        self._plain = self._program(Dialect.ASCII)
        self._unicode: _Program | None = None
        self._too_large = False

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """What words each matching line holds."""
        return clauses(self._body, left=self._left, right=self._right)

    def spans(self, rows: bytes) -> Spans:
        """Its matches in a text."""
        plain = rows.isascii()
        program = None if plain else self._for_unicode()
        return Spans(
            program or self._plain,
            rows,
            ascii_only=not plain and program is None,
            bounded=not self._is_literal,
            stepwise=self._stepwise,
        )

    def _for_unicode(self) -> _Program | None:
        """Made when it is needed; None when it is too large: much larger than for ASCII."""
        if self._unicode is None and not self._too_large:
            try:
                self._unicode = self._program(Dialect.UNICODE)
            except Problem:
                self._too_large = True
        return self._unicode

    def _program(self, dialect: Dialect) -> _Program:
        text, group = whole(self._body, dialect, left=self._left, right=self._right)
        return _Program(text, group, dialect)


@lru_cache(maxsize=_REMEMBERED)
def expression(pattern: str, *, ignore_case: bool = False, whole_word: bool = False) -> Expression:
    """The expression that a person or a program wrote; what is wrong with it is a problem."""
    return Expression(parse(pattern, folded=ignore_case), whole_word=whole_word)


@lru_cache(maxsize=_REMEMBERED)
def literal_expression(text: str, *, ignore_case: bool, whole_word: bool) -> Expression:
    """An expression that matches a text as it is."""
    body = literal(text, folded=ignore_case)
    return Expression(body, whole_word=whole_word, is_literal=True)


def _framed(body: Node, *, whole_word: bool) -> tuple[bool, Node, bool]:
    r"""A `\b` at an edge where a word is sure to begin or end means that no word goes on there."""
    items = body.items if isinstance(body, Concatenation) else (body,)
    left = right = whole_word
    if not left and items[:1] == (Place.BOUNDARY,) and begins_with_word(Concatenation(items[1:])):
        left, items = True, items[1:]
    if not right and items[-1:] == (Place.BOUNDARY,) and ends_with_word(Concatenation(items[:-1])):
        right, items = True, items[:-1]
    return left, items[0] if len(items) == 1 else Concatenation(items), right


class _Program:
    """What the engine made of an expression."""

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
                "argument_invalid", r"expression: there is no set of the name in \p{...}"
            ) from None
        raise _too_large() from None  # whatever else the engine refuses, the parser did before
    finally:
        re2.purge()  # it keeps as many as 128, each with a memory of its own


def _too_large() -> Problem:
    return Problem(
        "argument_invalid", "the expression is too large: repeat less, or name fewer alternatives"
    )


class Spans:
    """The matches of an expression in one text."""

    def __init__(
        self, program: _Program, rows: bytes, *, ascii_only: bool, bounded: bool, stepwise: bool
    ) -> None:
        """Look at nothing yet; without `bounded`, matches may go over lines."""
        self._regex = program.regex
        self._group = program.group
        self._rows = rows
        self._most = program.most_bytes if bounded else len(rows)
        self._ascii_only = ascii_only
        self._stepwise = stepwise or program.group > 0
        self.skipped_lines = 0

    def each(self, end: int, begin: int = 0) -> Iterator[Span]:
        """The matches from the beginning of a line to the end of one, in order."""
        group = self._group
        for start, stop in self._pieces(begin, end):
            if self._stepwise:
                yield from self._steps(start, stop)
            else:
                for found in self._regex.finditer(self._rows, start, stop):
                    yield found.span(group)

    def _steps(self, at: int, end: int) -> Iterator[Span]:
        """One after the other; of a line only so many, as an empty match may be anywhere."""
        rows, group, search = self._rows, self._group, self._regex.search
        line_end, count = -1, 0
        while at <= end and (found := search(rows, at, end)) is not None:
            span: Span = found.span(group)
            yield span
            if span[0] > line_end:
                line_end, count = rows.find(b"\n", span[0]), 0
            count += 1
            at = line_end + 1 if count == MOST_SPANS else max(span[1], span[0] + 1)

    def _pieces(self, at: int, end: int) -> Iterator[Span]:
        """Whole lines, as many as can be searched at once; those that can't be are counted."""
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
