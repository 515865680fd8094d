"""The symbols on the other side of a symbol's edges, without places."""

from __future__ import annotations

import numpy as np

from repo_mcp.graph.query.edges import EdgeFilter, edges_of_parts
from repo_mcp.graph.query.model import PlacedEdge
from repo_mcp.graph.query.snapshot import GraphSnapshot


def targets_of(graph: GraphSnapshot, source: int, chosen: EdgeFilter) -> list[int]:
    """The symbols of the repository that a symbol has edges to, by id."""
    found: set[int] = set()
    for chunk in graph.parts(source):
        number = graph.file_of(chunk)
        edges = graph.edges(number)
        columns = edges.of_row(chunk - int(graph.snapshot.file_starts[number]))
        targets = np.unique(columns.targets[chosen.select(columns)]).tolist()
        found.update(target for target in targets if target not in edges.external)
    return sorted(found)


def place_of(
    graph: GraphSnapshot, source: int, target: int, chosen: EdgeFilter
) -> PlacedEdge | None:
    """The first place where a symbol has an edge to another."""
    return next(edges_of_parts(graph, source, chosen, target), None)
