"""Keys of parameter lists, which tell functions of one name apart: their types, in one form.

A declaration and its definition write a type differently: with another name of the parameter or
none, a default value, more or fewer namespaces before it, blanks. The form leaves these out, and
`const` where it is no part of the type. It has no meaning elsewhere: it is hashed into ids.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from code_graph.facts import Declaration
from code_graph.identity import MOST_COUNTED, split_parameters
from code_graph.languages.c.numbers import KEYWORDS

# parameters whose types count; lists are cut where they are long, and few differ later only
_MOST_TYPES: Final = 4
_PART: Final = re.compile(r"[\w:]+|\[[^\]]*\]|\.\.\.|&&|[^\s\w]")
_LEFT_OUT: Final = frozenset(
    {"struct", "class", "enum", "union", "typename", "register", "volatile", "mutable", "this"}
)
_ATTRIBUTE: Final = re.compile(r"\[\[.*?\]\]|\b__\w+__\b(?:\s*\(\(.*?\)\))?")
# types that C can not declare, in the form of a key
_OF_CPP: Final = re.compile(
    r"[&<]|\b(?:w?string|w?string_view|[io]?stringstream|i?o?[if]?fstream|[io]stream|iostream)\b"
)


def overload_key(item: Declaration, *, is_scoped: bool) -> str:
    """The types that tell a function apart; for one that C may declare, too, the number of them."""
    if is_scoped or item.signature.startswith("template"):
        return types_key(item.parameters)
    key = types_key(item.parameters)
    if _OF_CPP.search(key):
        return key
    return str(min(len(split_parameters(item.parameters)), MOST_COUNTED))


def types_key(parameters: str) -> str:
    """The number of parameters and the types of the first ones; the text is as it is written."""
    if parameters in {"()", "(void)", ""}:
        return "0"
    found = split_parameters(parameters)
    types = map(_type_of, found[:_MOST_TYPES])
    return "\1".join((str(min(len(found), MOST_COUNTED)), *types))


@lru_cache(maxsize=4096)
def _type_of(text: str) -> str:
    if "(" in text:
        return "(" + str(text.count(","))  # a function: names may stand anywhere in it
    if "[[" in text or "__" in text:
        text = _ATTRIBUTE.sub(" ", text)
    parts, depth = [], 0
    for part in _PART.findall(text):
        if part == "=" and not depth:
            break
        depth += (part == "<") - (part == ">")
        if part not in _LEFT_OUT:
            parts.append(part)
    return "".join(_plain(_without_name(parts)))


def _without_name(parts: list[str]) -> list[str]:
    """The parts of a type, without the name behind it; an array is a pointer."""
    is_array = False
    while parts and parts[-1].startswith("["):
        parts, is_array = parts[:-1], True
    last = parts[-1] if parts else ""
    named = [part for part in parts[:-1] if part[0].isalnum() or part[0] in "_:" if part != "const"]
    is_name = last.isidentifier() and last not in KEYWORDS and last != "const"
    if is_name and named and parts[-2] != "<":
        parts = parts[:-1]
    return [*parts, "*"] if is_array else parts


def _plain(parts: list[str]) -> list[str]:
    """The parts in one form: last names alone, `const` first and where the type points."""
    points = "*" in parts or "&" in parts
    found = ["const"] if points and _is_of_target(parts) else []
    numbers = [part for part in parts if part in KEYWORDS]
    if len(numbers) > 1 or numbers == ["unsigned"]:
        first = next(at for at, part in enumerate(parts) if part in KEYWORDS)
        rest = [part for part in parts if part not in KEYWORDS]
        long = sorted(part for part in numbers if part not in {"int", "signed"}) or ["int"]
        parts = [*rest[:first], *long, *rest[first:]]
    found.extend(part.rpartition("::")[2] for part in parts if part != "const")
    return found


def _is_of_target(parts: list[str]) -> bool:
    """True if `const` stands before what points."""
    for part in parts:
        if part == "const":
            return True
        if part in {"*", "&"}:
            break
    return False
