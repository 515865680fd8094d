"""Calls of an unknown object by a name that hardly means another function.

A name that one function of the repository has, or two methods, and that no code uses on something
from outside, tells what is called: in recorded runs all calls of the first kind reached it. Only of
languages in which any member of an object can be used wherever the object is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.language_table import language_named
from code_graph.model import Confidence, EdgeType
from code_graph.query.dispatch import possible_callees, possible_callers
from code_graph.query.edges import external_uses
from code_graph.query.model import FUNCTIONS, PlacedEdge
from code_graph.query.names import symbols_named
from code_graph.query.snapshot import GraphSnapshot

_METHOD: Final = "method"
# methods of one name that a call may mean
_MOST_METHODS: Final = 2
# symbols of one name that are looked at: variables may have it, too
_MOST_NAMED: Final = 10


def is_told_by_name(graph: GraphSnapshot, symbol: int) -> bool:
    """True for a function that a call of its name means, whatever the object is."""
    found = graph.symbol(symbol)
    if found is None or found.node_type not in FUNCTIONS:
        return False
    if not language_named(found.language).is_unchecked or found.simple_name.startswith("__"):
        return False
    if external_uses(graph, found.name, (EdgeType.CALLS,), found.named_as):
        return False
    named, more = symbols_named(graph, found.simple_name, _MOST_NAMED)
    kinds = [item.node_type for item in named if item.node_type in FUNCTIONS]
    most = _MOST_METHODS if all(kind == _METHOD for kind in kinds) else 1
    return not more and len(kinds) <= most


def named_callers(graph: GraphSnapshot, symbol: int) -> Iterator[PlacedEdge]:
    """The calls of unknown objects by a name that tells of a function."""
    if is_told_by_name(graph, symbol):
        yield from map(_surer, possible_callers(graph, symbol))


def named_callees(graph: GraphSnapshot, source: int) -> Iterator[PlacedEdge]:
    """The functions that calls of unknown objects reach, by names that tell of them."""
    told: dict[int, bool] = {}
    for edge in possible_callees(graph, source):
        if edge.target not in told:
            told[edge.target] = is_told_by_name(graph, edge.target)
        if told[edge.target]:
            yield _surer(edge)


def _surer(edge: PlacedEdge) -> PlacedEdge:
    return edge._replace(confidence=Confidence.DISPATCH)
