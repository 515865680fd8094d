r"""Parses regular expressions in the common syntax of ripgrep and RE2.

Syntax on which they differ is refused, and so is what can't be matched in linear time (look-around,
back references). Each refusal gives the offset and what to write instead.

An expression with a line feed (`\n`) or the flag `s` matches across lines: then negated classes and
`\\s` match line feeds, too, and with the flag `.` does. `LineEnds` lets others do so.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NoReturn

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.search.regex.character_class import (
    escaped_character,
    escaped_class,
    read_class,
)
from repo_mcp.search.regex.tree import (
    ANY,
    ANYTHING,
    Alternation,
    Assertion,
    Char,
    Concatenation,
    Node,
    Repeat,
)

MAX_EXPRESSION: Final = 1000
MAX_REPEAT: Final = 1000
_MAX_DEPTH: Final = 50
_MAX_OPERATORS: Final = 4
_COUNTS: Final = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\}")
_NO_LOW_COUNT: Final = re.compile(r"\{,[0-9]+\}")
_FLAGS: Final = re.compile(r"\(\?([a-zA-Z-]*)([:)])")
_NAMED: Final = re.compile(r"\(\?P?<[A-Za-z_][A-Za-z0-9_]*>")
_PLACES: Final = {"^": Assertion.LINE_START, "$": Assertion.LINE_END}
_BOUNDARIES: Final = {"b": Assertion.BOUNDARY, "B": Assertion.INSIDE}
_OPERATORS: Final = {"*": (0, None), "+": (1, None), "?": (0, 1)}

_LOOKS: Final = (
    "look-ahead and look-behind are not supported, as their time is unbounded: match more and"
    " filter the lines"
)
_REFERENCES: Final = "back references are not supported, as their time is unbounded"
_ATOMIC: Final = "atomic groups and conditions are not supported: write (?:...)"
_EDGES: Final = "each line is matched separately: write ^ and $ for its edges"
_REFUSED_GROUPS: Final = {
    "(?=": _LOOKS,
    "(?!": _LOOKS,
    "(?<=": _LOOKS,
    "(?<!": _LOOKS,
    "(?>": _ATOMIC,
    "(?(": _ATOMIC,
    "(?|": _ATOMIC,
    "(?#": "comments are not supported",
    "(?P=": _REFERENCES,
    "(?P>": "calls of groups are not supported",
    "(?&": "calls of groups are not supported",
    "(?R": "calls of groups are not supported",
    "(*": "verbs are not supported",
}
_REFUSED_ESCAPES: Final = {
    **dict.fromkeys("123456789gk", _REFERENCES),
    **dict.fromkeys("AzZG", _EDGES),
    **dict.fromkeys("<>", r"write \b for the edge of a word"),
    "0": r"write the code of a character as \x{...}",
    "Q": r"quoting with \Q is not supported: write a backslash before each special character",
}


# what may match a line end if the expression has none: nothing, `\\s`, or negated classes, too
LineEnds = Literal["written", "blanks", "classes"]
WRITTEN: Final = "written"
BLANKS: Final = "blanks"
CLASSES: Final = "classes"


class Parsed(NamedTuple):
    """A parsed expression, and whether its matches may lie across lines."""

    body: Node
    across_lines: bool


def parse(pattern: str, *, folded: bool, line_ends: LineEnds = WRITTEN) -> Parsed:
    """Parses an expression; `folded` acts like a leading (?i)."""
    if len(pattern) > MAX_EXPRESSION:
        raise Problem("argument_invalid", f"an expression has at most {MAX_EXPRESSION} characters")
    within = _Parser(pattern, folded=folded, line_ends=WRITTEN)
    body = within.write_expression()
    if within.asks_for_feeds:
        line_ends = CLASSES
    if line_ends == WRITTEN:
        return Parsed(body, across_lines=False)
    crossing = _Parser(pattern, folded=folded, line_ends=line_ends).write_expression()
    return Parsed(crossing, across_lines=within.asks_for_feeds or crossing != body)


class _Parser:
    """Parses an expression in one pass from left to right."""

    def __init__(self, pattern: str, *, folded: bool, line_ends: LineEnds) -> None:
        self._pattern = pattern
        self._at = 0
        self._folded = folded
        self._dot_feeds = False
        self._line_ends = line_ends
        self._depth = 0
        # true if the expression has a line feed or the flag s
        self.asks_for_feeds = False

    def write_expression(self) -> Node:
        found = self._choice()
        if self._at < len(self._pattern):
            self._refuse("no ( opens this ): write \\) for the character")
        return found

    def _choice(self) -> Node:
        items = [self._joined()]
        while self._next() == "|":
            self._at += 1
            items.append(self._joined())
        return items[0] if len(items) == 1 else Alternation(tuple(items))

    def _joined(self) -> Node:
        items: list[Node] = []
        while self._next() not in {"", "|", ")"}:
            item = self._atom()
            if item is not None:
                items.append(self._repeated(item))
        return items[0] if len(items) == 1 else Concatenation(tuple(items))

    def _atom(self) -> Node | None:
        """Parses an item that may be repeated; None for flags, which match nothing."""
        here = self._next()
        if here in _OPERATORS or (here == "{" and _COUNTS.match(self._pattern, self._at)):
            self._refuse(f"nothing to repeat: write \\{here} for the character")
        if here == "(":
            return self._group()
        if here == "[":
            return self._class()
        if here == "\\":
            return self._escape()
        self._at += 1
        self.asks_for_feeds |= here == "\n"
        if here == ".":
            return ANYTHING if self._dot_feeds else ANY
        return _PLACES.get(here) or Char(here, self._folded)

    def _class(self) -> Node:
        pattern, at, folded = self._pattern, self._at, self._folded
        found = read_class(pattern, at, folded=folded, feeds=self._line_ends == CLASSES)
        has_blanks = not found.node.negated and "\\s" in pattern[at : found.end]
        if has_blanks and self._line_ends == BLANKS:
            found = read_class(pattern, at, folded=folded, feeds=True)
        self._at = found.end
        self.asks_for_feeds |= found.has_feed
        return found.node

    def _repeated(self, item: Node) -> Node:
        operators = 0
        while (counts := self._counts()) is not None:
            operators += 1
            if operators > _MAX_OPERATORS:
                self._refuse("too many repetitions in a row")
            low, high = counts
            lazy = self._next() == "?"
            self._at += lazy
            item = Repeat(item, low, high, lazy)
        return item

    def _counts(self) -> tuple[int, int | None] | None:
        """Parses the counts of a repetition, None if there is none; a lone { is a character."""
        here = self._next()
        if here in _OPERATORS:
            self._at += 1
            return _OPERATORS[here]
        if here != "{":
            return None
        if _NO_LOW_COUNT.match(self._pattern, self._at):
            self._refuse("write {0,n} for at most n times")
        found = _COUNTS.match(self._pattern, self._at)
        if not found:
            return None
        low = int(found[1])
        high = low if not found[2] else int(found[3]) if found[3] else None
        if max(low, high or 0) > MAX_REPEAT or (high is not None and high < low):
            self._refuse(f"counts are at most {MAX_REPEAT}, the lower one first")
        self._at = found.end()
        return low, high

    def _group(self) -> Node | None:
        begin, before = self._at, (self._folded, self._dot_feeds)
        if self._opened():
            return None
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._refuse(f"groups may be nested at most {_MAX_DEPTH} deep")
        found = self._choice()
        if self._next() != ")":
            self._at = begin
            self._refuse("no ) closes this (: write \\( for the character")
        self._at += 1
        self._depth -= 1
        self._folded, self._dot_feeds = before
        return found

    def _opened(self) -> bool:
        """Parses the opening of a group; True if it was only flags."""
        pattern, at = self._pattern, self._at
        for begin, reason in _REFUSED_GROUPS.items():
            if pattern.startswith(begin, at):
                self._refuse(reason)
        flags, named = _FLAGS.match(pattern, at), _NAMED.match(pattern, at)
        if flags:
            self._set_flags(flags[1])
            self._at = flags.end()
            return flags[2] == ")"
        if pattern.startswith("(?", at) and not named:
            self._refuse("this kind of group is not supported: write (?:...)")
        self._at = named.end() if named else at + 1
        return False

    def _set_flags(self, flags: str) -> None:
        """Sets flags; m changes nothing, as ^ and $ are the edges of a line."""
        on, _, off = flags.partition("-")
        if not {*on} <= {*"imsu"} or not {*off} <= {*"is"}:
            self._refuse("the only supported flags are i and s: (?i), (?-i), (?s)")
        if "i" in on + off:
            self._folded = "i" in on
        if "s" in on + off:
            self._dot_feeds = "s" in on
            self.asks_for_feeds |= self._dot_feeds

    def _escape(self) -> Node:
        """Parses an escape outside of brackets."""
        pattern, at = self._pattern, self._at
        name = pattern[at + 1 : at + 2]
        if name in _REFUSED_ESCAPES:
            self._refuse(_REFUSED_ESCAPES[name])
        if name and name in _BOUNDARIES:
            if pattern.startswith("{", at + 2):
                self._refuse(r"write \b for the edge of a word")
            self._at += 2
            return _BOUNDARIES[name]
        feeds = self._line_ends == CLASSES or (self._line_ends == BLANKS and name == "s")
        found = escaped_class(pattern, at, folded=self._folded, feeds=feeds)
        if found is not None:
            node: Node
            node, self._at = found
            return node
        character, self._at = escaped_character(pattern, at)
        self.asks_for_feeds |= character == "\n"
        return Char(character, self._folded)

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _refuse(self, reason: str) -> NoReturn:
        raise Problem("argument_invalid", f"expression, character {self._at + 1}: {reason}")
