"""Variables whose values have functions or types in them: those who read them may use any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import VALUES
from code_graph.query.snapshot import GraphSnapshot

_MENTIONED: Final = EdgeFilter((EdgeType.REFERENCES, EdgeType.CALLS))
# places of one symbol that are looked at
_MOST_PLACES: Final = 50


def registering_variables(graph: GraphSnapshot, ids: Iterable[int]) -> set[int]:
    """The variables outside of functions whose declarations mention one of these symbols."""
    found: set[int] = set()
    for number in ids:
        for edge in edges_into(graph, number, _MENTIONED, limit=_MOST_PLACES).edges:
            if graph.symbol_at(edge.source_chunk).node_type != "file":
                continue
            for symbol, declared in graph.outline(edge.path):
                is_around = symbol.start_line <= edge.line <= symbol.end_line
                if declared is not None and is_around and symbol.node_type in VALUES:
                    found.add(symbol.id)
    return found
