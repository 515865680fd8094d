"""Types of the facts about one file, found without reading any other file.

Lines count from 1, columns from 0 in characters; a line ends at a line feed and nowhere else.
Everything is in the order of the text, so that equal text gives equal facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from index_format.records import Record
from index_format.tuples import NamedTuple

# the parsed part of a file
FULL: Final = "full"
PARTIAL: Final = "partial"  # it has syntax errors that may have cost declarations
FAILED: Final = "failed"  # the parser refused it
STOPPED: Final = "stopped"  # parsing exceeded its budget
NO_GRAMMAR: Final = "no_grammar"  # the parser is not installed
SKIPPED: Final = "skipped"  # not parsed: generated, minified or too large

_NO_WORD: Final = re.compile(r"\W+")
MODULE: Final = -1
# the modifier of a signature beside the declaration that has the body
OVERLOAD: Final = "overload"
# the modifier of a class without a name, which is called by its base and a number
ANONYMOUS: Final = "anonymous"
# kinds of types that others implement
# kinds that are no level of an outline
_FREE: Final = frozenset({"namespace"})
INTERFACES: Final = frozenset({"interface", "protocol", "trait", "annotation"})


# not frozen, though nothing changes one: a large tree has millions
class Declaration(Record, frozen=False):
    """One declared symbol; `parent` is the number of the enclosing declaration, or MODULE."""

    kind: str
    name: str
    start_line: int
    end_line: int
    name_line: int
    name_column: int
    parent: int = MODULE
    # one line for display, without the body
    signature: str = ""
    # the whole documentation text, without comment marks; only its first line is stored
    doc: str = ""
    scope_kind: str = "module"  # kind of the enclosing scope: module, class or function
    is_conditional: bool = False
    # enclosing control flow and declarations, outermost first, e.g. "class Foo > if > def bar"
    decl_context: str = ""
    access: str = ""  # public, private, protected, internal, … in the language's terms, or empty
    modifiers: frozenset[str] = frozenset()  # static abstract async override deprecated exported …
    bases: tuple[str, ...] = ()  # as written: superclasses, interfaces, traits, conformances
    parameters: str = ""  # as written, with parentheses; empty for what has no parameter list
    parameter_count: int = 0
    returns: str = ""  # the declared type of its result or value, as written

    __hash__ = Record.__hash__


def context_inside(holder: Declaration | None, longest: int | None = None) -> str:
    """The `decl_context` directly inside a declaration, whose own is cut at `longest`."""
    if holder is None:
        return ""
    step = f"{holder.kind} {holder.name}"
    around = holder.decl_context[:longest]
    return f"{around} > {step}" if around else step


def shorten(text: str, limit: int) -> str:
    """The text cut to this many characters, with an ellipsis if it was longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def normalize_name(name: str) -> str:
    """A name without case and underscores, so that all naming styles are equal."""
    return name.replace("_", "").lower()


def last_part(name: str) -> str:
    """The last word of a name: `d` of `a::b.d`."""
    return _NO_WORD.split(name)[-1]


class DeclarationSpan:
    """Name and lines of a declaration: all that search results need of many declarations."""

    __slots__ = ("_qualify", "end_line", "name", "number", "start_line")

    def __init__(
        self,
        name: str,
        start_line: int,
        end_line: int,
        number: int = 0,
        qualify: Callable[[int], str] | None = None,
    ) -> None:
        """Keep the values; `qualify` returns the qualified name for this number in the file."""
        self.name = name
        self.start_line = start_line
        self.end_line = end_line
        self.number = number
        self._qualify = qualify

    @property
    def qualified(self) -> str:
        """The qualified name: the names of enclosing declarations, then this one."""
        return self.name if self._qualify is None else self._qualify(self.number)

    def holds(self, first: int, last: int) -> bool:
        """True if all of these lines are in it."""
        return self.start_line <= first and last <= self.end_line


class Use(NamedTuple):
    """A line that names a declaration of the file."""

    name: str
    line: int


class Import(NamedTuple):
    """An imported name or module."""

    module: str  # as written, with relative dots
    name: str  # the imported name, "*" for all, empty if the module itself is imported
    alias: str  # the name that it is bound to here, or empty
    line: int
    owner: int


class Facts(Record):
    """All facts of one file."""

    language: str
    status: str = FULL
    declarations: Sequence[Declaration] = ()  # a tuple, or `Declarations`
    imports: tuple[Import, ...] = ()
    # lines at which a unit begins (a declaration with its comments and decorators, a section of
    # prose), ascending: where the file is best split into chunks
    cuts: tuple[int, ...] = ()
    # in the order of the names' declarations and of lines
    uses: tuple[Use, ...] = ()


def number_names(names: Sequence[str]) -> dict[str, int]:
    """The number of the first declaration of each name, from the names of all."""
    return dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))


def sort_uses(found: set[tuple[int, int, str]]) -> tuple[Use, ...]:
    """Uses in the order in which they are stored, from the number of the name, line and name."""
    return tuple(Use(name, line) for _, line, name in sorted(found))


# A parent may have a higher number than what it holds: a method can stand before its type, and of
# declarations on the same lines the names decide.
def levels(rows: Sequence[Declaration], free: Collection[str] = ()) -> list[int]:
    """The level of each declaration: 1 in the module and in free kinds."""
    found = [0] * len(rows)
    for number, item in enumerate(rows):
        inside = [number]
        at = item.parent
        while at != MODULE and not found[at]:
            inside.append(at)
            at = rows[at].parent
        level = 0 if at == MODULE else found[at] - (rows[at].kind in free)
        for inner in reversed(inside):
            found[inner] = level + 1
            level += rows[inner].kind not in free
    return found


def depths(rows: Sequence[Declaration]) -> list[int]:
    """The depth of each declaration as outlines count it: what a namespace has is at its own."""
    return levels(rows, _FREE)


def in_text_order(rows: Sequence[Declaration], level: Sequence[int]) -> list[int]:
    """The numbers in the order of the text; of declarations on the same lines, outer ones first."""
    return sorted(
        range(len(rows)),
        key=lambda number: (
            rows[number].start_line,
            -rows[number].end_line,
            level[number],
            rows[number].name_line,
            rows[number].name_column,
        ),
    )
