"""The symbols of SCIP: scheme, package and descriptors in one line, or a local of one document.

    symbol      scheme " " manager " " package " " version " " descriptor… | "local " id
    descriptor  name "/" namespace, name "#" type, name "." term, name "(" id ")." method,
                name "!" macro, name ":" meta, "[" name "]" type parameter, "(" name ")" parameter

Blanks in the first four are doubled, and "." stands for an empty one. A name with other characters
than letters, digits and `_+-$` stands between backticks, those in it doubled.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from index_format.tuples import NamedTuple

_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+\-$]+")
_PART: Final = re.compile(r"((?>(?:[^ ]++|  )*)) ")
_NAME: Final = re.compile(r"`((?>(?:[^`]++|``)*))`|([A-Za-z0-9_+\-$]*+)")
_PARTS: Final = 4
_MAX_DESCRIPTORS: Final = 1000
LOCAL: Final = "local "


class Suffix(Enum):
    """Kinds of descriptors, by their suffixes."""

    NAMESPACE = "/"
    TYPE = "#"
    TERM = "."
    METHOD = "()."
    MACRO = "!"
    META = ":"
    TYPE_PARAMETER = "]"
    PARAMETER = ")"


_ENDS: Final = {suffix.value: suffix for suffix in Suffix}
# of kinds of declarations; all others are terms
_SUFFIXES: Final = {
    **dict.fromkeys(
        ("class", "struct", "record", "enum", "union", "actor", "object", "interface", "protocol"),
        Suffix.TYPE,
    ),
    **dict.fromkeys(
        ("trait", "annotation", "type", "typedef", "delegate", "extension"), Suffix.TYPE
    ),
    **dict.fromkeys(
        ("method", "function", "constructor", "destructor", "operator", "prototype", "indexer"),
        Suffix.METHOD,
    ),
    **dict.fromkeys(("module", "namespace", "package"), Suffix.NAMESPACE),
    "macro": Suffix.MACRO,
}


def suffix_of(kind: str) -> Suffix:
    """The suffix of a declaration's descriptor."""
    return _SUFFIXES.get(kind, Suffix.TERM)


class Descriptor(NamedTuple):
    """One step of a symbol; only methods have a `disambiguator`."""

    name: str
    suffix: Suffix
    disambiguator: str = ""

    def __str__(self) -> str:
        """The descriptor as symbols have it."""
        name = write_name(self.name)
        if self.suffix is Suffix.METHOD:
            return f"{name}({self.disambiguator})."
        opening = {Suffix.TYPE_PARAMETER: "[", Suffix.PARAMETER: "("}.get(self.suffix, "")
        return f"{opening}{name}{self.suffix.value}"


class Package(NamedTuple):
    """The package of a symbol: its manager, name and version; any may be empty."""

    manager: str = ""
    name: str = ""
    version: str = ""


class SymbolName(NamedTuple):
    """A global symbol."""

    scheme: str
    package: Package
    descriptors: tuple[Descriptor, ...]

    def __str__(self) -> str:
        """The symbol as SCIP has it."""
        head = " ".join(map(_write_part, (self.scheme, *self.package)))
        return f"{head} {''.join(map(str, self.descriptors))}"


class SymbolError(ValueError):
    """A text is no symbol."""


def is_local(symbol: str) -> bool:
    """True if a symbol belongs to one document."""
    return symbol.startswith(LOCAL)


def write_name(name: str) -> str:
    """A name as descriptors have it."""
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def parse_symbol(text: str) -> SymbolName:
    """The parts of a global symbol; SymbolError for other text."""
    parts: list[str] = []
    at = 0
    for _ in range(_PARTS):
        found = _PART.match(text, at)
        if found is None:
            raise SymbolError("it has no scheme, manager, package and version")
        parts.append(found[1].replace("  ", " "))
        at = found.end()
    scheme, *package = ["" if part == "." else part for part in parts]
    return SymbolName(scheme, Package(*package), _parse_descriptors(text, at))


def _parse_descriptors(text: str, at: int) -> tuple[Descriptor, ...]:
    found: list[Descriptor] = []
    while at < len(text):
        if len(found) == _MAX_DESCRIPTORS:
            raise SymbolError("it has too many descriptors")
        opening = text[at] if text[at] in "[(" else ""
        name, at = _parse_name(text, at + len(opening))
        end = text[at : at + 1]
        if end == "(" and not opening:
            close = text.find(").", at)
            if close < 0:
                raise SymbolError("a method has no end")
            found.append(Descriptor(name, Suffix.METHOD, text[at + 1 : close]))
            at = close + 2
            continue
        suffix = _ENDS.get(end)
        expected = {"[": Suffix.TYPE_PARAMETER, "(": Suffix.PARAMETER}.get(opening, suffix)
        if suffix is None or suffix is not expected or (not opening and end in "])"):
            raise SymbolError(f"a descriptor ends with {end!r}")
        found.append(Descriptor(name, suffix))
        at += 1
    if not found:
        raise SymbolError("it has no descriptor")
    return tuple(found)


def _parse_name(text: str, at: int) -> tuple[str, int]:
    found = _NAME.match(text, at)
    if found is None or found.end() == at:
        raise SymbolError("a descriptor has no name")
    quoted = found[1]
    return (found[2] if quoted is None else quoted.replace("``", "`")), found.end()


def _write_part(part: str) -> str:
    return part.replace(" ", "  ") or "."
