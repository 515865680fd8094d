"""What a query demands of a file: a small tree that says nothing of how it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

# "path" is a glob that may begin at any folder, "glob" one that holds as it stands
FilterKind = Literal["path", "glob", "ext", "lang"]


@dataclass(frozen=True, slots=True)
class Word:
    """The file holds the words of `text`: in one field, or in whichever."""

    field: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """The file holds a word that begins with `text`, letter case aside."""

    field: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """The file holds `text` as it is written, letter case and the length of blanks aside."""

    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """The file's path is of a kind; `negated` says that it must not be."""

    kind: FilterKind
    text: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Leaf = Word | Prefix | Phrase | Filter
Condition = Leaf | All | Any | Not


def all_of(parts: Iterable[Condition]) -> Condition:
    """All of one or more parts: nested ones taken in, equal ones once."""
    return _joined(All, parts)


def any_of(parts: Iterable[Condition]) -> Condition:
    """At least one of one or more parts, likewise."""
    return _joined(Any, parts)


def not_(part: Condition) -> Condition:
    """The contrary; twice is none."""
    return part.part if isinstance(part, Not) else Not(part)


def leaves(condition: Condition | None) -> Iterator[Leaf]:
    """What stands at the ends of the tree, in order."""
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from leaves(part)
    elif isinstance(condition, Not):
        yield from leaves(condition.part)
    elif condition is not None:
        yield condition


def phrases_said(condition: Condition | None) -> Iterator[Phrase]:
    """The phrases that a file is to hold: those behind a NOT are not among them."""
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from phrases_said(part)
    elif isinstance(condition, Phrase):
        yield condition


def _joined(kind: type[All | Any], parts: Iterable[Condition]) -> Condition:
    found: dict[Condition, None] = {}
    for part in parts:
        found.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    flat = tuple(found)
    return flat[0] if len(flat) == 1 else kind(flat)
