"""Declarations outside of a repository that its uses lead to, where something can tell them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget
from repo_mcp.repository.symbol_places import SymbolPlace

# the place of a use, and the name of what is used there
OutsideUse = tuple[str, int, int, str]
# the declarations of what some edges of a graph lead to, as far as they are found in time
FindOutside = Callable[
    [GraphSnapshot, Sequence[PlacedEdge], Budget], Mapping[OutsideUse, tuple[Symbol, SymbolPlace]]
]
# the same, within a budget that is set
PlacesOutside = Callable[
    [GraphSnapshot, Sequence[PlacedEdge]], Mapping[OutsideUse, tuple[Symbol, SymbolPlace]]
]


def places_outside(
    graph: GraphSnapshot, edges: Iterable[PlacedEdge], find: PlacesOutside
) -> Mapping[OutsideUse, tuple[Symbol, SymbolPlace]]:
    """The declarations of what these edges lead to outside; nothing is looked for without any."""
    found = outside_edges(edges)
    return find(graph, found) if found else {}


def use_of(edge: PlacedEdge) -> OutsideUse:
    """The use that an edge to something outside is."""
    return *edge.place, edge.external


def outside_edges(edges: Iterable[PlacedEdge]) -> list[PlacedEdge]:
    """The edges that lead outside, but not to names that the language has by itself."""
    return [edge for edge in edges if edge.external and not is_builtin(edge.external)]


def is_builtin(name: str) -> bool:
    """True for what every file has without an import."""
    return name.startswith("builtins.")
