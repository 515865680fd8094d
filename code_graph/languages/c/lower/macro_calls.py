"""Finds calls in the body of a macro, which is text and no tree.

Kept is a name before brackets that is no parameter of the macro, no member, no part of a pasted
name, and not the name of a function that the body declares.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from index_format.tuples import NamedTuple

_TOKEN: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?(?:\*/|\Z)|//[^\n]*'
    r"|##?|->|::|[A-Za-z_]\w*|\d[\w.]*|[^\s\\]",
    re.DOTALL,
)
_COMMENT: Final = ("/*", "//")
_JOINTS: Final = frozenset({".", "->", "#", "##", "::"})
# words before brackets that call nothing
_WORDS: Final = frozenset(
    {"if", "while", "for", "switch", "return", "sizeof", "typeof", "alignof", "defined", "do"}
    | {"else", "case", "catch", "decltype", "asm", "volatile", "const", "goto", "throw", "new"}
    | {"noexcept", "static_assert", "constexpr", "delete", "typeid", "alignas", "and", "or", "not"}
    | {f"__{word}__" for word in ("attribute", "typeof", "asm", "volatile", "alignof", "extension")}
    | {"__typeof", "__asm", "_Generic", "_Static_assert", "_Alignof", "__declspec", "_Pragma"}
)
# words before a name that begins an expression
_BEFORE_VALUE: Final = frozenset(
    {"return", "else", "do", "case", "goto", "throw", "and", "or", "not"}
)
# characters of a body that are read
_LONGEST: Final = 20_000


class MacroCall(NamedTuple):
    """A call: the name, where it begins in the text, and how many arguments it has."""

    name: str
    start: int
    arguments: int


class _Bracket(NamedTuple):
    name: str
    start: int
    commas: list[int]
    first_token: int


def calls_in(text: str, parameters: Collection[str]) -> list[MacroCall]:
    """The calls in the body of a macro in their order."""
    found: list[MacroCall] = []
    open_: list[_Bracket] = []
    before, last, start = "", "", 0
    for number, (part, at) in enumerate(_tokens(text)):
        if part in "([{":
            is_call = part == "(" and _is_called(last, before, parameters)
            open_.append(_Bracket(last if is_call else "", start, [], number))
        elif part in ")]}" and open_:
            bracket = open_.pop()
            if bracket.name:
                count = len(bracket.commas) + (number > bracket.first_token + 1)
                found.append(MacroCall(bracket.name, bracket.start, count))
        elif part == "," and open_:
            open_[-1].commas.append(number)
        before, last, start = last, part, at
    return sorted(found, key=lambda call: call.start)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    for match in _TOKEN.finditer(text[:_LONGEST]):
        if not match[0].startswith(_COMMENT):
            yield match[0], match.start()


def _is_called(name: str, before: str, parameters: Collection[str]) -> bool:
    """True if a name before brackets means a function or macro declared elsewhere."""
    if not (name[:1].isalpha() or name[:1] == "_") or name in _WORDS or name in parameters:
        return False
    is_declared = (before[:1].isalpha() or before[:1] == "_") and before not in _BEFORE_VALUE
    return before not in _JOINTS and not is_declared
