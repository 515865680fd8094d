"""The declarations that a plain or qualified name means.

The facts of files have the exact spelling and the scopes of declarations, which
the index lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from posixpath import splitext
from typing import Final

from code_graph.facts import DeclarationSpan, last_part, normalize_name
from index_format.tuples import NamedTuple
from repo_mcp.question.query import KEYWORDS, Name
from repo_mcp.text.files import Rows

_RECEIVER: Final = r"(?:\([^()]*\)\s*)?"  # func (r *Reader) Read
_NO_WORD: Final = re.compile(r"\W+")
# enclosing names that may qualify a name: the innermost type, file and folder
_NEAR: Final = 3
# first lines of a declaration in which its keyword and its signature may stand: decorators are
# before them
HEAD: Final = 12
# columns of a tab
_TAB: Final = 4


class NamedDeclaration(NamedTuple):
    """A declaration that a name means, and whether it is spelled exactly like the name."""

    place: DeclarationSpan
    as_written: bool

    @classmethod
    def at_line(cls, name: str, line: int) -> NamedDeclaration:
        """One of this exact name that is a line."""
        return cls(DeclarationSpan(name, line, line), as_written=True)

    @property
    def is_long(self) -> bool:
        """True if it has several lines."""
        return self.place.end_line > self.place.start_line


class Assignment(NamedTuple):
    """A line that gives a name its value, and how far it is indented."""

    indentation: int
    line: int


def find_declarations(
    name: Name, path: str, places: Iterable[DeclarationSpan], holders: Sequence[str] = ()
) -> Iterator[NamedDeclaration]:
    """The declarations of a name in a file; `holders` may stand for its innermost qualifier."""
    for place in places:
        if normalize_name(last_part(place.name)) == normalize_name(name.written):
            around = _around(path, place) if name.within else []
            if _stands_in(name, holders, map(normalize_name, around), normalize_name):
                is_written = last_part(place.name) == name.written
                yield NamedDeclaration(place, is_written and _stands_in(name, holders, around, str))


def has_keyword(name: Name, rows: Rows, place: DeclarationSpan) -> bool:
    """True if a declaration has the name's keyword before the name."""
    head = rows.between(place.start_line, min(place.start_line + HEAD, place.end_line))
    return any(map(_declaring(name.keyword, name.written).search, head))


def find_assignment(name: Name, rows: Rows) -> Assignment | None:
    """The outermost line of a file that declares a variable of this exact name, or assigns it.

    Facts have no variables of functions, and no members of literal objects.
    """
    expression = _assigning(name.written)
    found = (
        Assignment(len(match["blanks"].expandtabs(_TAB)), number)
        for number, row in rows.holding(name.written, r"[^\s'\"]", r"[\w.(]")
        if (match := expression.match(row)) is not None
    )
    return min(found, default=None)


def find_head(name: Name, rows: Rows) -> int | None:
    """The first line of a file that reads as the head of a declaration of this exact name.

    It stands in for facts that are not there yet: a keyword before the name, or at the margin a
    result and parameters, as C has them.
    """
    expression = _heading(name.written)
    lines = (line for line, row in rows.holding(name.written) if expression.match(row))
    return next(lines, None)


@lru_cache(64)
def _heading(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    modifiers = r"(?:[\w@]+(?:\([^()]*\))?\s+)*?"  # pub(crate)
    return re.compile(
        rf"\s*{modifiers}(?:struct|union|enum)\s+{word}\s*(?:[:{{(<]|$)"
        rf"|\s*{modifiers}(?!struct|union|enum)(?:{KEYWORDS}|#\s*define)\s+{_RECEIVER}{word}\b"
        rf"(?!\s*[;,).])"
        rf"|(?!return\b|else\b)[A-Za-z_][\w<>:]*[\s*&]+(?:[\w<>:]+[\s*&]+)*{word}\s*\([^;]*$"
    )


@lru_cache(64)
def _declaring(keyword: str, name: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w){re.escape(keyword)}\b\s*\*?\s*{_RECEIVER}(?:\w+(?:\.|::))*{re.escape(name)}\b"
    )


@lru_cache(64)
def _assigning(name: str) -> re.Pattern[str]:
    """A variable that is declared or assigned, or a member of a literal object."""
    word = re.escape(name)
    return re.compile(
        rf"(?P<blanks>\s*)(?:(?:export|public|private|static)\s+)*"
        rf"(?:(?:const|let|var|val|auto|final|local|my|our)\s+{word}\b(?!\s*[(.])"
        rf"|{word}\s*(?::\s*[\w.\[\], |]+)?:?=(?!=)"
        rf"|['\"]?{word}['\"]?:\s*(?:[{{\[(]|function\b|async\b))"
    )


def names_of_path(path: str) -> list[str]:
    """The names of folders and file, this one without its ending."""
    return splitext(path)[0].split("/")


def _around(path: str, place: DeclarationSpan) -> list[str]:
    """The scopes of a declaration, outermost first: folders, file and types."""
    return [*names_of_path(path), *_NO_WORD.split(place.qualified)[:-1]][-_NEAR:]


def _stands_in(
    name: Name, holders: Iterable[str], around: Iterable[str], form: Callable[[str], str]
) -> bool:
    if not name.within:
        return True
    sought = {form(name.within[-1]), *map(form, holders)}
    return not sought.isdisjoint(around)
