"""Linked files give the edges that the cases compare."""

from __future__ import annotations

from code_graph.facts import Declaration, Facts
from code_graph.model import (
    FILE,
    Confidence,
    EdgeType,
    GraphEdge,
    LinkedFile,
    LinkedSymbol,
    Strategy,
)
from tests.code_graph.cases.case_runner import CaseEdge, Node
from tests.code_graph.cases.linked_edges import case_edges

CALLS = int(EdgeType.CALLS)
MODULE = Node("main", "main.py", 0)
RUN = Node("main.run", "main.py", 3)


def linked(*edges: GraphEdge) -> list[LinkedFile]:
    symbols = [
        LinkedSymbol(FILE, 1, "main", "module"),
        LinkedSymbol(0, 2, "main.run", "function"),
    ]
    return [LinkedFile("main.py", b"", "", "python", symbols, edges)]


FACTS = {
    "main.py": Facts("python", declarations=(Declaration("function", "run", 3, 4, 3, 4),)),
}


def test_edges_have_the_names_of_symbols_and_their_places() -> None:
    edge = GraphEdge(FILE, 2, CALLS, int(Strategy.SCOPE), 7, 0)
    assert list(case_edges(linked(edge), FACTS)) == [CaseEdge("calls", MODULE, RUN)]


def test_edges_that_are_shown_on_request_are_left_out() -> None:
    edge = GraphEdge(FILE, 2, CALLS, int(Strategy.NAME), 7, 0)
    assert list(case_edges(linked(edge), FACTS)) == []
    possible = frozenset({Confidence.POSSIBLE})
    assert len(list(case_edges(linked(edge), FACTS, possible))) == 1


def test_edges_to_what_is_outside_are_left_out() -> None:
    assert list(case_edges(linked(GraphEdge(0, 99, CALLS, 0, 4, 4)), FACTS)) == []
