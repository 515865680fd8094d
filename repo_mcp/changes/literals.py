"""Literals among the arguments of a call, and types of parameters that take them, as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph.parameters import Parameter

_ANY: Final = frozenset({"object", "any", "unknown", "anyobject"})
_WORDS_OF: Final = {
    "text": "string str charsequence string_view",
    "number": "number int integer long short byte float double bigint uint",
    "truth": "bool boolean",
    "character": "char character",
}
_KIND_OF: Final = {word: kind for kind, words in _WORDS_OF.items() for word in words.split()}
# a text of one character may be one, or a text
_BESIDE: Final = {"character": frozenset({"text", "number"}), "number": frozenset({"character"})}
# it goes with all types that are no values
NOTHING: Final = "null"
_LITERALS: Final = (
    ("character", re.compile(r"'(?:[^'\\]|\\[^']{1,5}|\\')'$")),
    (
        "text",
        re.compile(
            r"""[bfru]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)$""", re.IGNORECASE
        ),
    ),
    ("number", re.compile(r"[-+]?\.?\d[\w.]*$")),
    ("truth", re.compile(r"(?:true|false|True|False)$")),
    ("list", re.compile(r"\[.*\]$", re.DOTALL)),
    ("record", re.compile(r"\{.*\}$", re.DOTALL)),
    ("function", re.compile(r"(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)|lambda\b")),
)
_LIST: Final = re.compile(r"\[\s*\]|:\s*\[")
_WORD: Final = re.compile(r"[^\W\d]\w*")
# a type that stands for another one
_VARIABLE: Final = re.compile(r"(?:[A-Z]|T\d)$")
_UNREAD: Final = frozenset({"final", "const", "val", "var"})


def literal_kind(text: str) -> str:
    """The kind of a literal; empty for another expression."""
    return next((name for name, form in _LITERALS if form.match(text)), "")


def takes_anything(parameter: Parameter) -> bool:
    """True for a parameter of any type, or of one that stands for another."""
    return any(_VARIABLE.match(word) or word.lower() in _ANY for word in _words(parameter))


def takes_literal(parameter: Parameter, argument: str) -> bool | None:
    """True if an argument goes with a parameter, False if not; None for what is not known."""
    if takes_anything(parameter):
        return True
    words = _words(parameter)
    if argument == NOTHING:
        return not words or words[0] not in _KIND_OF
    kind = literal_kind(argument)
    if not kind:
        return None
    known = _kinds(parameter)
    if kind in known:
        return True
    return False if None not in known and not known & _BESIDE.get(kind, frozenset()) else None


def refuses_literal(parameters: Sequence[Parameter], arguments: Sequence[str]) -> bool:
    """True if one of the arguments by place does not go with its parameter for sure."""
    pairs = zip(parameters, arguments, strict=False)
    return any(takes_literal(parameter, text) is False for parameter, text in pairs)


def same_type(one: Parameter, other: Parameter) -> bool:
    """True for parameters of one type, whatever their names; values in objects are of it, too."""
    marks = [(item.is_many, item.text.count("[")) for item in (one, other)]
    types = [
        [_KIND_OF.get(word.lower(), word) for word in words]
        for words in (_words(one), _words(other))
    ]
    return types[0] == types[1] and marks[0] == marks[1]


def _kinds(parameter: Parameter) -> frozenset[str | None]:
    """The kinds of literals that a parameter takes; None is among them for what is not known."""
    words = _words(parameter)
    if _LIST.search(parameter.text):
        return frozenset({"list"})
    if parameter.is_many or not words:
        return frozenset({None, *map(_KIND_OF.get, map(str.lower, words))})
    return frozenset(map(_KIND_OF.get, map(str.lower, words)))


def _words(parameter: Parameter) -> list[str]:
    """The words of the type of a parameter."""
    found: list[str] = _WORD.findall(parameter.text)
    if parameter.name in found:
        found.remove(parameter.name)
    return [word for word in found if word not in _UNREAD]
