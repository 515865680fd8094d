"""Relations of a symbol, and the rows of their edges."""

from __future__ import annotations

import pytest

from code_graph.query.choice import target_of
from code_graph.query.edges import EdgeFilter
from code_graph.query.impact import impact_of
from repo_mcp.ask import CALLEES, CALLEES_OF_WHOLE, CALLERS, EdgeRelation, find_related, group_edges
from tests.code_graph.linked_files import graph_of_texts, symbol_named

SOURCE = """\
class Lid { Lid() { } void shut() { } }
class Box { final Lid lid;
  Box() { this(1); } Box(int size) { lid = new Lid(); check(size); }
  void check(int size) { lid.shut(); lid.shut(); }
  static Box make() { return new Box(); } }
"""
GRAPH = graph_of_texts({"Box.java": SOURCE})


@pytest.mark.parametrize(
    ("relation", "rows"),
    [
        (CALLERS, {"Box.make": 1}),
        (CALLEES, {"Lid": 1, "Lid.Lid": 1, "Box.check": 1}),
        (CALLEES_OF_WHOLE, {"Lid": 1, "Lid.Lid": 1, "Lid.shut": 2}),
    ],
)
def test_the_places_of_an_edge_are_one_row(relation: EdgeRelation, rows: dict[str, int]) -> None:
    box, chosen = target_of(symbol_named(GRAPH, "Box")), EdgeFilter(relation.types)
    edges = find_related(GRAPH, [box], relation, chosen).edges
    groups = group_edges(GRAPH, [*edges, *edges], forward=relation.forward)
    assert {group.other.name: len(group.edges) for group in groups} == rows


def test_members_of_each_symbol_count_for_its_impact() -> None:
    ids = [symbol_named(GRAPH, name).id for name in ("Lid", "Box", "Lid.shut", "Box.check")]
    assert {*ids[2:]} <= {*impact_of(GRAPH, ids[:2], EdgeFilter(), depth=1).members}
