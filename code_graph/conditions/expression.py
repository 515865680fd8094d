"""Conditions as expressions: those of the C preprocessor, and forms of other languages like them.

Arguments of calls stay text: `swift(>=5.5)` and `__has_include(<a.h>)` have no operands.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from index_format.tuples import NamedTuple

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d[\w.']*)|(?P<name>[A-Za-z_$][\w$.]*)|(?P<text>\"[^\"]*\"|'(?:[^'\\]|\\.)+')"
    r"|(?P<sign>&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%<>!~&|^?:()=,]))"
)
_BRACKET: Final = re.compile(r"[()]")
# of two operators the one with the greater number binds first
_PRECEDENCE: Final = {
    sign: number
    for number, signs in enumerate(
        ("||", "&&", "|", "^", "&", "== != =", "< > <= >=", "<< >>", "+ -", "* / %"), 1
    )
    for sign in signs.split()
}
_PREFIXES: Final = frozenset({"!", "~", "-", "+"})
_DEEPEST: Final = 60
_LONGEST: Final = 4_000
_MOST_KEPT: Final = 4_096


class Number(NamedTuple):
    """A constant; None for one that is no integer."""

    value: int | None


class MacroName(NamedTuple):
    """A macro, a constant or a flag."""

    name: str


class QuotedText(NamedTuple):
    """A text in quotes: the value of a setting."""

    text: str


class Defined(NamedTuple):
    """A question whether a macro is defined."""

    name: str


class ConditionCall(NamedTuple):
    """A macro or a test with its arguments, which are text."""

    name: str
    arguments: str


class Operation(NamedTuple):
    """An operator with one, two or three operands."""

    sign: str
    operands: tuple[Expression, ...]


Expression = Number | MacroName | QuotedText | Defined | ConditionCall | Operation
# what can't be read may mean anything
UNREADABLE: Final = Number(None)


@lru_cache(_MOST_KEPT)
def parse_condition(text: str) -> Expression:
    """The expression of a text; one that can't be read is an unknown value."""
    try:
        parser = _Parser(text[:_LONGEST])
        expression = parser.ternary(0)
    except (SyntaxError, ValueError):
        return UNREADABLE
    return expression if parser.is_at_end and len(text) <= _LONGEST else UNREADABLE


class _Parser:
    """A parser by the precedence of operators."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._word = ""
        self._kind: str | None = None
        self._advance()

    @property
    def is_at_end(self) -> bool:
        return self._kind is None

    def ternary(self, depth: int) -> Expression:
        """An expression with `? :`, which binds last."""
        condition = self._binary(1, depth)
        if self._word != "?":
            return condition
        self._advance()
        chosen = self.ternary(depth + 1)
        self._expect(":")
        return Operation("?", (condition, chosen, self.ternary(depth + 1)))

    def _binary(self, least: int, depth: int) -> Expression:
        left = self._unary(depth)
        while self._kind == "sign" and _PRECEDENCE.get(self._word, 0) >= least:
            sign = self._word
            self._advance()
            right = self._binary(_PRECEDENCE[sign] + 1, depth + 1)
            left = Operation("==" if sign == "=" else sign, (left, right))
        return left

    def _unary(self, depth: int) -> Expression:
        if depth > _DEEPEST:
            raise SyntaxError
        kind, word = self._kind, self._word
        if kind == "name":
            return self._named(word)
        self._advance()
        if kind == "number":
            return Number(_integer(word))
        if kind == "text":
            return QuotedText(word[1:-1]) if word[0] == '"' else UNREADABLE
        if word in _PREFIXES:
            return Operation(word, (self._unary(depth + 1),))
        if word != "(":
            raise SyntaxError
        inner = self.ternary(depth + 1)
        self._expect(")")
        return inner

    def _named(self, name: str) -> Expression:
        if name == "defined":
            self._advance()
            has_bracket = self._word == "("
            if has_bracket:
                self._advance()
            tested = self._word
            if self._kind != "name":
                raise SyntaxError
            self._advance()
            if has_bracket:
                self._expect(")")
            return Defined(tested)
        if self._text[self._at :].lstrip()[:1] != "(":
            self._advance()
            return MacroName(name)
        begin = self._text.index("(", self._at) + 1
        end = end_of_brackets(self._text, begin)
        self._at = end + 1
        self._advance()
        return ConditionCall(name, self._text[begin:end].strip())

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            if self._text[self._at :].strip():
                raise SyntaxError
            self._kind, self._word = None, ""
            return
        self._at = match.end()
        self._kind = match.lastgroup
        self._word = match[match.lastgroup or 0]

    def _expect(self, word: str) -> None:
        if self._word != word:
            raise SyntaxError
        self._advance()


def end_of_brackets(text: str, begin: int) -> int:
    """The place of the bracket that closes the one before `begin`."""
    depth = 1
    for match in _BRACKET.finditer(text, begin, begin + _LONGEST):
        depth += 1 if match[0] == "(" else -1
        if not depth:
            return match.start()
    raise SyntaxError


def split_arguments(text: str) -> list[str]:
    """The arguments of a call, of which commas in brackets and texts are parts."""
    parts, depth, begin, quoted = [], 0, 0, False
    for at, char in enumerate(text):
        quoted ^= char == '"'
        if not quoted:
            depth += (char == "(") - (char == ")")
        if char == "," and not depth and not quoted:
            parts.append(text[begin:at].strip())
            begin = at + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def _integer(word: str) -> int | None:
    digits = word.replace("'", "").lower().rstrip("uln")
    try:
        if digits[:1] == "0" and digits.isdigit():
            return int(digits, 8)
        return int(digits, 0)
    except ValueError:
        return None
