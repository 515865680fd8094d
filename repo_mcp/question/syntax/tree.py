"""The condition tree of a query, independent of how the query was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from index_format.records import Record

# "path" is a glob that may begin at any folder, "glob" a list of them as requests have, "globs"
# several with NUL between them, of which one matches as written; "language" and "kind" are values
# of facets; "owner" is a name of who owns the file, "package" one of
# what it is a part of
FilterKind = Literal["path", "glob", "globs", "ext", "lang", "language", "kind", "owner", "package"]


class Word(Record):
    """The file contains the words of `text`: in one field, or in any if `field` is None."""

    field: str | None
    text: str


class Prefix(Record):
    """The file contains a word that begins with `text`, in any letter case."""

    field: str | None
    text: str


class Phrase(Record):
    """The file contains `text`, in any letter case and with any length of blanks."""

    text: str
    field: str | None = None


class Filter(Record):
    """The file's path matches; with `negated` it must not."""

    kind: FilterKind
    text: str
    negated: bool = False


class All(Record):
    """Every part holds."""

    parts: tuple[Condition, ...]


class Any(Record):
    """At least one part holds."""

    parts: tuple[Condition, ...]


class Not(Record):
    """The part does not hold."""

    part: Condition


Leaf = Word | Prefix | Phrase | Filter
Condition = Leaf | All | Any | Not


def all_of(parts: Iterable[Condition]) -> Condition:
    """All of one or more parts, flattened and without duplicates."""
    return _combine(All, parts)


def any_of(parts: Iterable[Condition]) -> Condition:
    """At least one of one or more parts, flattened and without duplicates."""
    return _combine(Any, parts)


def not_(part: Condition) -> Condition:
    """The negation; a double negation cancels out."""
    return part.part if isinstance(part, Not) else Not(part)


def leaves(condition: Condition | None) -> Iterator[Leaf]:
    """The leaves of the tree, in order."""
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from leaves(part)
    elif isinstance(condition, Not):
        yield from leaves(condition.part)
    elif condition is not None:
        yield condition


def positive_phrases(condition: Condition | None) -> Iterator[Phrase]:
    """The phrases of a condition that are not under a NOT."""
    if isinstance(condition, All | Any):
        for part in condition.parts:
            yield from positive_phrases(part)
    elif isinstance(condition, Phrase):
        yield condition


def _combine(kind: type[All | Any], parts: Iterable[Condition]) -> Condition:
    found: dict[Condition, None] = {}
    for part in parts:
        found.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    flat = tuple(found)
    return flat[0] if len(flat) == 1 else kind(flat)
