"""A file uses what its declarations use, and a variable what its value is made of."""

from __future__ import annotations

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter
from code_graph.query.model import USES
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask.uses import unknown_uses_inside, uses_inside
from tests.code_graph.linked_files import FileDraft, graph_of


def a_graph() -> GraphSnapshot:
    """A file with a variable on lines 1 to 10 that is computed by calls of the file."""
    file = FileDraft("a.py").declare("a.LIMIT", "variable").declare("a.run")
    file.edge("b.make", at=(3, 4), source=-1).edge("b.make", at=(11, 4)).edge("a.run", at=(12, 0))
    file.edge("b.py", EdgeType.IMPORTS, at=(13, 0))
    return graph_of([file, FileDraft("b.py").declare("b.make").declare("b.other")])


def uses(graph: GraphSnapshot, name: str) -> list[tuple[int, str]]:
    [symbol] = graph.lookup(name, 2)
    page = uses_inside(graph, symbol, EdgeFilter(USES))
    assert page.counts.resolved == len(page.edges)
    return [(edge.line, edge.type.name) for edge in page.edges]


def test_a_variable_uses_what_is_on_its_lines_and_a_file_what_its_declarations_use() -> None:
    assert uses(a_graph(), "a.LIMIT") == [(3, "CALLS")]
    assert uses(a_graph(), "a.py") == [(3, "CALLS"), (11, "CALLS"), (13, "IMPORTS")]
    assert uses(a_graph(), "a.run") == [(11, "CALLS"), (12, "CALLS"), (13, "IMPORTS")]


def test_unknown_uses_of_a_variable_are_those_on_its_lines() -> None:
    file = FileDraft("a.py").unknown("x.early").declare("a.LIMIT", "variable").declare("a.run")
    file.unknown("x.late")
    graph = graph_of([file])
    [variable] = graph.lookup("a.LIMIT", 2)
    [whole] = graph.lookup("a.py", 2)
    assert {use.name for use in unknown_uses_inside(graph, variable)} == {"x.early"}
    assert {use.name for use in unknown_uses_inside(graph, whole)} == {"x.early", "x.late"}
