"""Runs a query and groups its matches: declarations, names, imports, comments, flow.

The names of captures decide. Every pattern has exactly one anchor capture:

| anchor | what it marks | further captures |
|---|---|---|
| `@def.KIND` | a declaration | `@name`, `@parameters`, `@returns`, `@modifiers`, `@body`, … |
| `@use` | a name, which the file may declare itself | |
| `@def.KIND` in `@entries` | a value in an object that is outside of functions | `@name` |
| `@extends` | a base as written, of the enclosing declaration | |
| `@object` | what is a declaration only if functions are `@held` in it | `@name`, `@held` |
| `@import` | an import | `@module`, `@import.name`, `@alias`, or those that `Rules.imports` reads |
| `@comment`, `@attribute` | a comment or attribute of the declaration below it | |
| `@flow.LABEL` | control flow or conditional compilation | |
| `@flow.anonymous` | a function without a name, whose local variables do not count | |
| `@access` | a label that changes the access of the following members | |
| `@wrap`, `@wrap.MODIFIER` | a node around a declaration that begins with it, as `template <…>` | |
| `@skip` | a node without declarations, even if some seem to match | |
| `@unit` | the beginning of a unit that is not a declaration | |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from code_graph.treesitter.grammar import Grammar
from code_graph.treesitter.language_rules import Captures
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_OTHERS: Final = (
    "import",
    "comment",
    "attribute",
    "access",
    "unit",
    "extends",
    "object",
    "flow",
    "wrap",
    "skip",
)
# matches of one group; a file with more is data
_MAX_MATCHES: Final = 200_000
# Patterns are short, so real files have fewer than 64 matches in progress at once. A deep nest
# would have thousands, and each of them is checked for each node.
_MAX_IN_PROGRESS: Final = 256
# a match's position is its offset times this, plus the pattern's number: earlier patterns go first
PATTERNS: Final = 1024


# position and node of a name
NameMatch: TypeAlias = tuple[int, "Node"]


class AnchorMatch(NamedTuple):
    """A node that a pattern's anchor captures."""

    position: int
    node: Node
    label: str
    captures: Captures


class QueryMatches:
    """All matches of a query in one tree, each list in order of position."""

    __slots__ = ("declarations", "is_cut_short", "names", "others")

    def __init__(self) -> None:
        """Begin without matches."""
        self.declarations: list[AnchorMatch] = []
        self.names: list[NameMatch] = []
        self.others: dict[str, list[AnchorMatch]] = {key: [] for key in _OTHERS}
        self.is_cut_short = False

    def add_regions(self, regions: Iterable[tuple[int, int, str]]) -> None:
        """Add control flow that was found without parsing: start, end and label."""
        flow = self.others["flow"]
        for start, end, label in regions:
            # only the bounds of a flow's node are used
            node = cast("Node", _TextRange(start, end))
            flow.append(AnchorMatch(start * PATTERNS, node, label, {}))
        flow.sort(key=_position)


class _TextRange(NamedTuple):
    """A range of text that is not a node."""

    start_byte: int
    end_byte: int


def run_query(grammar: Grammar, tree: Tree) -> QueryMatches:
    """Run the query of a grammar over a tree."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 not before the first file

    cursor = QueryCursor(grammar.query, match_limit=_MAX_IN_PROGRESS)
    found = QueryMatches()
    names, declarations, others = found.names, found.declarations, found.others
    # tuple.__new__ is used directly: the constructors would take longer than all the rest
    anchors, new = grammar.anchors, tuple.__new__
    for pattern, captures in cursor.matches(tree.root_node):
        group, key, label = anchors[pattern]
        node = captures[key][0]
        position = node.start_byte * PATTERNS + pattern
        if group == "use":
            names.append((position, node))
        elif group == "def":
            declarations.append(new(AnchorMatch, (position, node, label, captures)))
        else:
            others[group].append(new(AnchorMatch, (position, node, label, captures)))
    every: list[list[AnchorMatch] | list[NameMatch]] = [names, declarations, *others.values()]
    cut = [_sort_and_cut(places) for places in every]
    found.is_cut_short = cursor.did_exceed_match_limit or any(cut)
    return found


def _sort_and_cut(places: list[AnchorMatch] | list[NameMatch]) -> bool:
    """Sort matches by position and cut them at the limit; returns whether any were cut off."""
    places.sort(key=_position)
    is_cut_short = len(places) > _MAX_MATCHES
    del places[_MAX_MATCHES:]
    return is_cut_short


def _position(item: AnchorMatch | NameMatch) -> int:
    return item[0]
