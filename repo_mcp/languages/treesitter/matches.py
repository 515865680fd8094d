"""Sorts what a query matched by what it is: declarations, references, imports, comments, flow.

The names of captures decide. Every pattern has one capture that says what it is (the anchor):

| anchor | what it marks | with it |
|---|---|---|
| `@def.KIND` | a declaration | `@name`, `@parameters`, `@returns`, `@modifiers`, `@body`, … |
| `@call @type @base @decorator @read @write` | a name referred to | `@qualifier` |
| `@element`, `@none` | a call if it is not in lower case; nothing (of `Rules.known_only`) | |
| `@extends` | a base as it is written, for the declaration around it | |
| `@import` | an import | `@module`, `@import.name`, `@alias`, or what `Rules.imports` reads |
| `@comment`, `@attribute` | what belongs to the declaration below it | |
| `@flow.LABEL` | control flow or conditional compilation | |
| `@flow.anonymous` | a function without a name: what is local to it does not count | |
| `@access` | a mark that changes the access of what follows on its level | |
| `@wrap`, `@wrap.MODIFIER` | what the first declaration in it begins with, as `template <…>` | |
| `@skip` | what holds no declarations, whatever it looks like | |
| `@unit` | where a unit begins that is no declaration itself | |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from repo_mcp.languages.treesitter.grammar import Grammar
from repo_mcp.languages.treesitter.language_rules import Captures

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_OTHERS: Final = (
    "import",
    "comment",
    "attribute",
    "access",
    "unit",
    "extends",
    "flow",
    "wrap",
    "skip",
)
# a file that declares or refers to more than this is data
_MOST: Final = 200_000
# Patterns are short, so real files have fewer than 64 under way at once. A deep nest would have
# thousands, and each of them is looked at for each node.
_MOST_UNDER_WAY: Final = 256
# room for the number of a pattern below an offset: what is earlier in the query file goes first
PATTERNS: Final = 1024


# a name referred to: its place, its node, that of its qualifier, its role
Named: TypeAlias = tuple[int, "Node", "Node | None", str]


class Place(NamedTuple):
    """Something that a pattern's anchor marks."""

    place: int
    node: Node
    label: str
    captures: Captures


class Matches:
    """All that a query found in one tree, each list in order of place."""

    __slots__ = ("declarations", "is_cut_short", "others", "references")

    def __init__(self) -> None:
        """Nothing yet."""
        self.declarations: list[Place] = []
        self.references: list[Named] = []
        self.others: dict[str, list[Place]] = {key: [] for key in _OTHERS}
        self.is_cut_short = False

    def add_regions(self, regions: Iterable[tuple[int, int, str]]) -> None:
        """Add control flow that is known by the text alone: start, end and label."""
        flow = self.others["flow"]
        for start, end, label in regions:
            # only the bounds of a flow's node are asked for
            node = cast("Node", _Stretch(start, end))
            flow.append(Place(start * PATTERNS, node, label, {}))
        flow.sort(key=_place)


class _Stretch(NamedTuple):
    """A part of the text that is no node."""

    start_byte: int
    end_byte: int


def find(grammar: Grammar, tree: Tree) -> Matches:
    """Run the query over a tree."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 loaded when the first file is parsed

    cursor = QueryCursor(grammar.query, match_limit=_MOST_UNDER_WAY)
    found = Matches()
    references, declarations, others = found.references, found.declarations, found.others
    # tuples are made without their classes' help: it would take longer than all the rest
    anchors, new = grammar.anchors, tuple.__new__
    for pattern, captures in cursor.matches(tree.root_node):
        group, key, label = anchors[pattern]
        node = captures[key][0]
        place = node.start_byte * PATTERNS + pattern
        if group == "reference":
            qualifier = captures.get("qualifier")
            references.append((place, node, None if qualifier is None else qualifier[0], key))
        elif group == "def":
            declarations.append(new(Place, (place, node, label, captures)))
        else:
            others[group].append(new(Place, (place, node, label, captures)))
    every: list[list[Place] | list[Named]] = [references, declarations, *others.values()]
    cut = [_in_order(places) for places in every]
    found.is_cut_short = cursor.did_exceed_match_limit or any(cut)
    return found


def _in_order(places: list[Place] | list[Named]) -> bool:
    """Put places in order; whether there are more of them than is sensible."""
    places.sort(key=_place)
    is_cut_short = len(places) > _MOST
    del places[_MOST:]
    return is_cut_short


def _place(item: Place | Named) -> int:
    return item[0]
