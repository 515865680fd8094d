"""Declarations that mention functions and types without being code that uses them.

Those who read a variable with a function in its value may use it, and what a decorator names is
there for the function that it decorates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into, sources_of
from code_graph.query.model import FUNCTIONS, TYPES, VALUES
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.terms import kind_term
from index_format.tuples import NamedTuple

_MENTIONED: Final = EdgeFilter((EdgeType.REFERENCES, EdgeType.CALLS))
# places of one symbol that are looked at
_MOST_PLACES: Final = 50


class Mentioning(NamedTuple):
    """Variables with symbols in their values, and functions and types with them in decorators."""

    variables: set[int]
    decorated: set[int]


def mentioning_declarations(graph: GraphSnapshot, ids: Iterable[int]) -> Mentioning:
    """The declarations outside of functions that mention one of these symbols."""
    found = Mentioning(set(), set())
    is_file = graph.facet_mask(kind_term("file"))
    for number in ids:
        chunks, _ = sources_of(graph, number, _MENTIONED)
        if not is_file[chunks].any():
            continue
        for edge in edges_into(graph, number, _MENTIONED, limit=_MOST_PLACES).edges:
            if graph.symbol_at(edge.source_chunk).node_type != "file":
                continue
            for symbol, declared in graph.outline(edge.path):
                if declared is None or not symbol.start_line <= edge.line <= symbol.end_line:
                    continue
                if symbol.node_type in VALUES:
                    found.variables.add(symbol.id)
                elif edge.line < declared.name_line and symbol.node_type in FUNCTIONS | TYPES:
                    found.decorated.add(symbol.id)
    return found
