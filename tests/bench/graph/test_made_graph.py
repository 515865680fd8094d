"""The made graph of the bench is what it says, and its queries find something."""

from __future__ import annotations

from pathlib import Path

from bench.graph.made_graph import Shape
from bench.graph.queries import measure, open_graph
from code_graph.model import Confidence
from code_graph.query.edges import EdgeFilter, edges_into, edges_out_of
from code_graph.query.model import ALL_TYPES

SHAPE = Shape(12)
EVERYTHING = EdgeFilter(ALL_TYPES, tuple(Confidence))


def test_a_made_graph_answers_queries(tmp_path: Path) -> None:
    graph, _ = open_graph(tmp_path, SHAPE)
    again, seconds = open_graph(tmp_path, SHAPE)
    assert (again.snapshot.generation, seconds) == (graph.snapshot.generation, 0.0)
    assert graph.snapshot.chunk_count == 12 * 21
    ids = [SHAPE.id_of(number) for number in range(240)]
    incoming = [edges_into(graph, number, EVERYTHING, limit=1).counts.resolved for number in ids]
    outgoing = [edges_out_of(graph, number, EVERYTHING, limit=1).counts.resolved for number in ids]
    assert sum(incoming) == sum(outgoing) == 12 * 20 * 5
    assert all(isinstance(shares, dict) for shares in measure(graph, SHAPE, 20).values())
