"""What is known of one file without looking at any other.

Lines and columns count from 1 and 0; a line ends at a line feed and nowhere else, a column counts
characters. Everything is in the order of the text, so that equal text gives equal facts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

# how far a file could be read
FULL: Final = "full"
PARTIAL: Final = "partial"  # with errors in it; what was recovered is there
FAILED: Final = "failed"  # the parser refused it; a rough outline may be there
STOPPED: Final = "stopped"  # parsing took too much; a rough outline may be there
NO_GRAMMAR: Final = "no_grammar"  # the parser is not installed; a rough outline may be there
SKIPPED: Final = "skipped"  # not worth reading: generated, minified or too large

MODULE: Final = -1


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared symbol; `parent` is the number of the declaration that holds it, or MODULE."""

    kind: str
    name: str
    start_line: int
    end_line: int
    name_line: int
    name_column: int
    parent: int = MODULE
    # as it would be shown: one line, without the body
    signature: str = ""
    # the whole documentation text, without its marks; stored is its first line only
    doc: str = ""
    scope_kind: str = "module"  # module, class or function: what directly holds it
    is_conditional: bool = False
    # the control flow and declarations on the way from the module, e.g. "class Foo > if > def bar"
    decl_context: str = ""
    access: str = ""  # public, private, protected, internal, … as the language has it, or empty
    modifiers: frozenset[str] = frozenset()  # static abstract async override deprecated exported …
    bases: tuple[str, ...] = ()  # as written: superclasses, interfaces, traits, conformances
    parameters: str = ""  # as written, with its parentheses; empty when it takes none by nature
    parameter_count: int = 0
    returns: str = ""  # the declared type of what it gives or holds, as written


def context_inside(holder: Declaration | None, longest: int | None = None) -> str:
    """The `decl_context` of what a declaration directly holds; of its own at most so much."""
    if holder is None:
        return ""
    step = f"{holder.kind} {holder.name}"
    around = holder.decl_context[:longest]
    return f"{around} > {step}" if around else step


def shorten(text: str, limit: int) -> str:
    """A text of at most this many characters; an ellipsis marks what is missing."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def in_one(name: str) -> str:
    """A name in the one style that all styles of writing have in common."""
    return name.replace("_", "").lower()


class Place:
    """Where a declaration lies: as much of it as a search result needs of many at once."""

    __slots__ = ("_number", "_qualify", "end_line", "name", "start_line")

    def __init__(
        self,
        name: str,
        start_line: int,
        end_line: int,
        number: int = 0,
        qualify: Callable[[int], str] | None = None,
    ) -> None:
        """`qualify` gives the whole name of the declaration of this number."""
        self.name = name
        self.start_line = start_line
        self.end_line = end_line
        self._number = number
        self._qualify = qualify

    @property
    def qualified(self) -> str:
        """The name after the names of the declarations that hold it."""
        return self.name if self._qualify is None else self._qualify(self._number)


class Reference(NamedTuple):
    """A name used; `owner` is the number of the innermost declaration around it, or MODULE."""

    name: str
    qualifier: str  # what stands before the last dot, as written without blanks; empty for none
    role: str  # call, type, base, decorator, read, write
    line: int
    column: int
    owner: int


class Import(NamedTuple):
    """A name brought in from elsewhere."""

    module: str  # as written, relative dots and all
    name: str  # the name taken from it, "*" for all, empty when the module itself is bound
    alias: str  # the name bound here, empty when none is
    line: int
    owner: int


@dataclass(frozen=True, slots=True)
class Facts:
    """All of a file."""

    language: str
    status: str = FULL
    declarations: tuple[Declaration, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    # lines at which a unit of its own begins (a declaration with its comments and decorators, a
    # section of prose), ascending: where the file is best cut
    cuts: tuple[int, ...] = ()
