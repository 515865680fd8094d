"""Declarations that mention functions and types without being code that uses them.

Those who read a variable with a function in its value may use it, and what a decorator names is
there for the function that it decorates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, chunks_into, edges_into, edges_of_chunk
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot, distinct
from code_graph.store.terms import kind_term
from index_format.tuples import NamedTuple

_MENTIONED: Final = EdgeFilter((EdgeType.REFERENCES, EdgeType.CALLS))
# places of one symbol that are looked at
_MOST_PLACES: Final = 50
# functions and types of a register of which each is meant by those who read it
_MOST_MEMBERS: Final = 12


class Mentioning(NamedTuple):
    """Variables with symbols in their values, and functions and types with them in decorators.

    The `crowded` ones of the variables have many: who reads one mostly uses another one of these.
    """

    variables: set[int]
    decorated: set[int]
    crowded: set[int]


def mentioning_declarations(graph: GraphSnapshot, ids: Iterable[int]) -> Mentioning:
    """The declarations outside of functions that mention one of these symbols."""
    found = Mentioning(set(), set(), set())
    is_file = graph.facet_mask(kind_term("file"))
    wanted = [*ids]
    held = chunks_into(graph, wanted, _MENTIONED)
    for place in distinct(held.which[is_file[held.chunks]]).tolist():
        number = wanted[place]
        for edge in edges_into(graph, number, _MENTIONED, limit=_MOST_PLACES).edges:
            if not is_file[edge.source_chunk]:
                continue
            for symbol, declared in graph.outline(edge.path):
                if declared is None or not symbol.start_line <= edge.line <= symbol.end_line:
                    continue
                if symbol.node_type in VALUES:
                    if symbol.id not in found.variables and _is_crowded(graph, edge, symbol):
                        found.crowded.add(symbol.id)
                    found.variables.add(symbol.id)
                elif edge.line < declared.name_line and symbol.node_type in FUNCTIONS | TYPES:
                    found.decorated.add(symbol.id)
    return found


def _is_crowded(graph: GraphSnapshot, inside: PlacedEdge, variable: Symbol) -> bool:
    """True for a variable with many functions and types in its value; `inside` leads to one."""
    edges = edges_of_chunk(graph, inside.source_chunk, _MENTIONED)
    lines = range(variable.start_line, variable.end_line + 1)
    targets = {edge.target for edge in edges if edge.line in lines and not edge.external}
    found = map(graph.symbol, targets if len(targets) > _MOST_MEMBERS else ())
    kinds = FUNCTIONS | TYPES
    return sum(item is not None and item.node_type in kinds for item in found) > _MOST_MEMBERS
