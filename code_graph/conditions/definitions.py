"""The macros that are defined where a condition stands, and the value of a condition by them."""

from __future__ import annotations

import re
from typing import Final

from code_graph.conditions.expression import (
    ConditionCall,
    Defined,
    Expression,
    MacroName,
    Number,
    Operation,
    QuotedText,
    parse_condition,
    split_arguments,
)
from code_graph.conditions.truth import Truth
from index_format.tuples import NamedTuple

# operands in each other, and those of one condition: macros may double at each step
_DEEPEST: Final = 100
_MOST_STEPS: Final = 2_000
_MACRO: Final = re.compile(r"\s*([A-Za-z_$][\w$]*)(\([^)]*\))?\s*(.*)", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")
_MOST_SHIFTED: Final = 64
_WIDEST: Final = 1 << 64


class Macro(NamedTuple):
    """A macro: whether it is defined, and as what, if that is known."""

    is_defined: Truth
    body: str | None = None
    parameters: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, text: str) -> tuple[str, Macro]:
        """The name and meaning of what follows `#define`."""
        match = _MACRO.match(text)
        if match is None:
            return "", UNKNOWN_MACRO
        inner = match[2]
        parameters = None if inner is None else tuple(split_arguments(inner[1:-1]))
        return match[1], cls(Truth.TRUE, match[3].strip(), parameters)

    def expand(self, arguments: str) -> str | None:
        """The body with arguments in the place of parameters; None if that is no plain text."""
        given = split_arguments(arguments)
        if self.body is None or self.parameters is None or len(given) != len(self.parameters):
            return None
        if "#" in self.body or "..." in self.parameters:
            return None
        by_name = dict(zip(self.parameters, given, strict=True))
        return _WORD.sub(
            lambda word: f"({by_name[word[0]]})" if word[0] in by_name else word[0], self.body
        )


UNDEFINED: Final = Macro(Truth.FALSE)
UNKNOWN_MACRO: Final = Macro(Truth.UNKNOWN)


class MacroTable:
    """The macros at a place of a file; by default only those that the file itself defines."""

    def __init__(self) -> None:
        """Nothing is defined yet."""
        self.own: dict[str, Macro] = {}
        self._steps = 0

    def macro(self, name: str) -> Macro:
        """A macro by its name."""
        return self.own.get(name) or self.given(name)

    def given(self, name: str) -> Macro:  # noqa: ARG002 nothing is known by default
        """A macro by the build, where the file says nothing of it."""
        return UNKNOWN_MACRO

    def test(self, name: str, argument: str) -> Truth | None:  # noqa: ARG002 as above
        """The result of a test as `os(Linux)` or `feature = "x"`; None for what is no test."""
        return None

    def include(self, text: str, state: Truth) -> None:
        """Take over what an included file defines, which a condition around it may leave out."""

    def define(self, text: str, state: Truth, *, is_fallback: bool = False) -> None:
        """Define a macro; a fallback stands where it is not defined yet."""
        name, macro = Macro.parse(text)
        if state == Truth.UNKNOWN:
            is_sure = is_fallback or self.macro(name).is_defined == Truth.TRUE
            macro = Macro(Truth.TRUE if is_sure else Truth.UNKNOWN)
        if state and name:
            self.keep(name, macro)

    def undefine(self, name: str, state: Truth) -> None:
        """Take a definition back."""
        if state:
            self.keep(name, UNDEFINED if state == Truth.TRUE else UNKNOWN_MACRO)

    def keep(self, name: str, macro: Macro) -> None:
        """Keep what a file says of a macro."""
        self.own[name] = macro

    def evaluate(self, text: str) -> Truth:
        """The truth of a condition."""
        self._steps = 0
        return Truth.of(self._value(parse_condition(text), 0))

    def _value(self, expression: Expression, depth: int) -> int | None:
        self._steps += 1
        if isinstance(expression, Number) or depth > _DEEPEST or self._steps > _MOST_STEPS:
            return expression.value if isinstance(expression, Number) else None
        if isinstance(expression, Defined):
            return _VALUES[self.macro(expression.name).is_defined]
        if isinstance(expression, MacroName):
            return self._value_of_name(expression.name, depth)
        if isinstance(expression, ConditionCall):
            return self._value_of_call(expression, depth)
        return None if isinstance(expression, QuotedText) else self._calculated(expression, depth)

    def _value_of_name(self, name: str, depth: int) -> int | None:
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        macro = self.macro(name)
        if macro.is_defined == Truth.FALSE:
            return 0
        if macro.is_defined == Truth.UNKNOWN or macro.body is None or macro.parameters is not None:
            return None
        # a flag is defined as nothing, and holds
        return self._value(parse_condition(macro.body), depth + 1) if macro.body else 1

    def _value_of_call(self, call: ConditionCall, depth: int) -> int | None:
        if call.name in _COMBINED:
            parts = [
                self._value(parse_condition(it), depth + 1)
                for it in split_arguments(call.arguments)
            ]
            truths = [Truth.of(part) for part in parts]
            if call.name == "all":
                return _VALUES[min(truths, default=Truth.TRUE)]
            joined = max(truths, default=Truth.FALSE)
            return _VALUES[joined.negated if call.name == "not" else joined]
        tested = self.test(call.name, call.arguments)
        if tested is not None:
            return _VALUES[tested]
        body = self.macro(call.name).expand(call.arguments)
        return None if body is None else self._value(parse_condition(body), depth + 1)

    def _calculated(self, operation: Operation, depth: int) -> int | None:
        sign, operands = operation
        named, value = operands[0], operands[-1]
        if isinstance(named, MacroName) and isinstance(value, QuotedText):
            tested = self.test(named.name, value.text) if sign == "==" else None
            return None if tested is None else _VALUES[tested]
        first = self._value(operands[0], depth + 1)
        if sign == "?":
            return None if first is None else self._value(operands[1 if first else 2], depth + 1)
        if sign in {"&&", "||"}:
            second = self._value(operands[1], depth + 1)
            truths = Truth.of(first), Truth.of(second)
            return _VALUES[min(truths) if sign == "&&" else max(truths)]
        if first is None:
            return None
        if len(operands) == 1:
            return {"!": int(not first), "-": -first, "~": ~first, "+": first}[sign]
        second = self._value(operands[1], depth + 1)
        return None if second is None else _calculate(sign, first, second)


_VALUES: Final = {Truth.FALSE: 0, Truth.UNKNOWN: None, Truth.TRUE: 1}
_CONSTANTS: Final = {"true": 1, "false": 0}
# how Rust combines conditions
_COMBINED: Final = frozenset({"all", "any", "not"})


def _calculate(sign: str, left: int, right: int) -> int | None:
    """The result of an operator on integers; None where C has none."""
    if sign in {"/", "%"}:
        if not right:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if sign == "/" else left - quotient * right
    if sign in {"<<", ">>"}:
        if not 0 <= right < _MOST_SHIFTED:
            return None
        return left << right if sign == "<<" else left >> right
    result = _OPERATORS[sign](left, right)
    return int(result) if -_WIDEST < result < _WIDEST else None


_OPERATORS: Final = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
