"""Questions that are a name, alone or after what holds it: where that is declared comes first.

The index tells names of several words from their parts; a name of one word looks there like any
name that has it as a part, and what holds a declaration is not in it. The declarations of the best
files tell both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from repo_mcp.languages.facts import Place, in_one

_NAME: Final = re.compile(r"\w+(?:(?:\.|::|->|#)\w+){0,5}")
_JOINT: Final = re.compile(r"\.|::|->|#")
_NO_WORD: Final = re.compile(r"\W+")
# a declaration stands in a type, a file and a folder, any of which may be what a name begins with
_NEAR: Final = 3


class Name(NamedTuple):
    """A name as it was written, and what it stands in: from the outside to the inside."""

    written: str
    within: tuple[str, ...]


class NamedDeclaration(NamedTuple):
    """The declaration that a name means, and whether it is written like that."""

    place: Place
    as_written: bool


def name_of(question: str, *, told_apart: bool) -> Name | None:
    """The name that a question is; None where it is none, or `told_apart` by the index alone."""
    text = question.strip()
    if not _NAME.fullmatch(text):
        return None
    *within, written = _JOINT.split(text)
    return None if told_apart and not within else Name(written, tuple(within))


def declared(name: Name, path: str, places: Sequence[Place]) -> NamedDeclaration | None:
    """What the name means in a file; of several the one that is written so, then the first."""
    found: NamedDeclaration | None = None
    for place in sorted(places, key=lambda place: place.start_line):
        if in_one(_last(place)) == in_one(name.written):
            around = _around(path, place) if name.within else []
            if _stands_in(name, map(in_one, around), in_one):
                as_written = _last(place) == name.written and _stands_in(name, around, str)
                if as_written:
                    return NamedDeclaration(place, as_written)
                found = found or NamedDeclaration(place, as_written)
    return found


def _around(path: str, place: Place) -> list[str]:
    """What holds a declaration, from the outside to the inside."""
    parts = PurePosixPath(path).with_suffix("").parts
    return [*parts, *_NO_WORD.split(place.qualified)[:-1]][-_NEAR:]


def _stands_in(name: Name, around: Iterable[str], form: Callable[[str], str]) -> bool:
    return not name.within or form(name.within[-1]) in around


def _last(place: Place) -> str:
    return _NO_WORD.split(place.name)[-1]
