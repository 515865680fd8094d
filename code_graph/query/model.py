"""Results of graph queries: symbols, edges with their places, and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from code_graph.language_table import language_named
from code_graph.model import Confidence, EdgeType, Strategy
from index_format.tuples import NamedTuple

# by what the code says, or by a text that both sides have
SURE: Final = (Confidence.EXACT, Confidence.INFERRED, Confidence.CONTRACT)
# listed unless more or less is asked for
LISTED: Final = (*SURE, Confidence.DISPATCH, Confidence.PROBABLE)
ALL_TYPES: Final = tuple(EdgeType)
_FUNCTION: Final = "function"
FUNCTIONS: Final = frozenset({_FUNCTION, "method", "constructor"})
TYPES: Final = frozenset({"class", "interface", "type", "component"})
VALUES: Final = frozenset({"property", "variable", "constant"})
# reads a line of a file by its path and number; empty where it can't
LineOf: TypeAlias = Callable[[str, int], str]
# edge types of uses, without being a part of something
USES: Final = tuple(
    kind for kind in EdgeType if kind not in {EdgeType.CONTAINS, EdgeType.BELONGS_TO}
)
# edge types that name a symbol at their place
MENTIONS: Final = (*USES, EdgeType.BELONGS_TO)


class Symbol(NamedTuple):
    """One part of a symbol: the whole of it, unless several declarations make it."""

    id: int
    name: str
    qualified_name: str
    node_type: str
    language: str
    project: str
    path: str
    start_line: int
    end_line: int
    is_public_api: bool
    is_primary: bool
    declaration: int  # its number in the facts of the file, or FILE
    chunk: int  # its number in this snapshot

    @property
    def separator(self) -> str:
        """The text between the parts of its qualified name."""
        return language_named(self.language).separator

    @property
    def simple_name(self) -> str:
        """Its name without that of its type, which precedes it where the type is elsewhere."""
        if self.node_type not in FUNCTIONS:
            return self.name
        return self.name.rpartition(self.separator)[2] or self.name

    @property
    def named_as(self) -> str:
        """The language that its uses by name are of; empty if any language may call it so."""
        is_linked = self.node_type == _FUNCTION and language_named(self.language).linked_as
        return "" if is_linked else self.language

    @property
    def owner(self) -> str:
        """The qualified name of the declaration or module around it."""
        return self.qualified_name.rpartition(self.separator)[0]

    def is_within(self, owner: str) -> bool:
        """True if it is declared, at any depth, in a declaration or module of this name."""
        return self.qualified_name.startswith(owner + self.separator)

    def encloses(self, other: Symbol) -> bool:
        """True if the lines of another are among its own."""
        is_around = self.start_line <= other.start_line and other.end_line <= self.end_line
        return is_around and self.path == other.path


class PlacedEdge(NamedTuple):
    """An edge with the place where it was seen."""

    source: int  # the symbol's id, 0 for a declaration that is no symbol
    target: int
    type: EdgeType
    confidence: Confidence
    strategy: int
    path: str
    line: int
    column: int
    source_chunk: int
    external: str = ""  # the target's name if it is declared outside

    @property
    def place(self) -> tuple[str, int, int]:
        """Path, line and column, which the edges to a class and its constructor share."""
        return self.path, self.line, self.column

    @property
    def is_of_module(self) -> bool:
        """True for an import of a whole file, whose place is the line and no name."""
        return self.type is EdgeType.IMPORTS and not self.column

    @property
    def words(self) -> tuple[str, str]:
        """Its confidence and its strategy."""
        return self.confidence.name.lower(), Strategy(self.strategy).name.lower()


class Completeness(NamedTuple):
    """Counts that show how complete an answer is."""

    resolved: int = 0  # places of all edges that were asked for
    unresolved_same_name: int = 0  # uses that may be of this symbol, or from it to any
    external: int = 0  # uses of symbols outside
    truncated: bool = False  # more was there than was looked at


class EdgePage(NamedTuple):
    """Some of the edges, by path and line; `next_offset` is None on the last page."""

    edges: Sequence[PlacedEdge]
    counts: Completeness
    next_offset: int | None = None
