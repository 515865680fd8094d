"""Functions that find members by names made at run time: no edge shows which ones they use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_parts, edges_of_rows
from code_graph.query.model import FUNCTIONS
from code_graph.query.neighbours import source_ids
from code_graph.query.snapshot import MOST_PARTS, GraphSnapshot

REFLECTION: Final = frozenset(
    {"builtins.getattr", "builtins.vars", "builtins.dir", "builtins.globals", "builtins.locals"}
    | {"builtins.eval", "builtins.exec", "Reflect.get", "eval", "System.Type.GetMethod"}
)
BASES: Final = EdgeFilter(
    (EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS), tuple(Confidence)
)
_CALLS: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES), tuple(Confidence))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))


def reflective_users(graph: GraphSnapshot, members: Iterable[int]) -> set[int]:
    """The functions that may use one of these members of types by its name alone.

    They are in its type, or in one that it inherits from, and look members up at run time.
    """
    types: set[int] = set()
    for number in members:
        symbol = graph.symbol(number)
        if symbol is not None and symbol.node_type in FUNCTIONS:
            types.update(source_ids(graph, number, _CONTAINS))
    pending = sorted(types)
    while pending and len(types) < MOST_PARTS:
        for edge in edges_of_parts(graph, pending.pop(), BASES):
            if not edge.external and edge.target not in types:
                types.add(edge.target)
                pending.append(edge.target)
    found: set[int] = set()
    for number in types:
        for part in graph.spans(number):
            for function in _looked_up(graph, part.path):
                source = graph.symbol(function)
                if source is not None and part.encloses(source) and part.id != source.id:
                    found.add(function)
    return found


def _looked_up(graph: GraphSnapshot, path: str) -> set[int]:
    """The functions of a file that look members up."""
    edges = edges_of_rows(graph, path, _CALLS)
    return {edge.source for edge in edges if edge.external in REFLECTION}
