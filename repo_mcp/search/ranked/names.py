"""Queries that are a plain or qualified name, and the declaration that such a name means.

The index has compound names as whole terms. It can't tell a name of one word from the parts of
other names, and lacks the scopes of declarations; the facts of the best files have both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.languages.facts import DeclarationSpan, last_part, normalize_name

_NAME: Final = re.compile(r"\w+(?:(?:\.|::|->|#)\w+){0,5}")
_JOINT: Final = re.compile(r"\.|::|->|#")
_NO_WORD: Final = re.compile(r"\W+")
# enclosing names that may qualify a name: the innermost type, file and folder
_NEAR: Final = 3


class Name(NamedTuple):
    """A name as written, and its qualifiers from the outermost to the innermost."""

    written: str
    within: tuple[str, ...]


class NamedDeclaration(NamedTuple):
    """The declaration that a name means, and whether it is spelled exactly like the name."""

    place: DeclarationSpan
    as_written: bool


def parse_name(question: str, *, is_distinct: bool) -> Name | None:
    """The query as a name; None if it is no name, or `is_distinct` (the index has it whole)."""
    text = question.strip()
    if not _NAME.fullmatch(text):
        return None
    *within, written = _JOINT.split(text)
    return None if is_distinct and not within else Name(written, tuple(within))


def find_declaration(
    name: Name, path: str, places: Sequence[DeclarationSpan]
) -> NamedDeclaration | None:
    """The declaration of a name in a file: an exactly spelled one, else the first."""
    found: NamedDeclaration | None = None
    for place in sorted(places, key=lambda place: place.start_line):
        if normalize_name(last_part(place.name)) == normalize_name(name.written):
            around = _around(path, place) if name.within else []
            if _stands_in(name, map(normalize_name, around), normalize_name):
                as_written = last_part(place.name) == name.written and _stands_in(name, around, str)
                if as_written:
                    return NamedDeclaration(place, as_written)
                found = found or NamedDeclaration(place, as_written)
    return found


def _around(path: str, place: DeclarationSpan) -> list[str]:
    """The scopes of a declaration, outermost first: folders, file and types."""
    parts = PurePosixPath(path).with_suffix("").parts
    return [*parts, *_NO_WORD.split(place.qualified)[:-1]][-_NEAR:]


def _stands_in(name: Name, around: Iterable[str], form: Callable[[str], str]) -> bool:
    return not name.within or form(name.within[-1]) in around
