"""Trees of calls: each symbol is followed once, those of tests are left out."""

from __future__ import annotations

from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask import CallTree
from tests.code_graph.linked_files import FileDraft, graph_of, symbol_named


def tree_of(graph: GraphSnapshot, name: str) -> tuple[list[str], list[str]]:
    """The rows of callers and callees, without signatures."""
    tree, symbol = CallTree(graph), symbol_named(graph, name)
    rows = tree.callers(symbol), tree.callees(symbol)
    return (
        [row.partition(": ")[0] for row in rows[0]],
        [row.partition(": ")[0] for row in rows[1]],
    )


def chain() -> list[FileDraft]:
    """A calls b, b calls c, and c calls a again; a test calls b."""
    return [
        FileDraft("a.py").declare("a.first").edge("b.second"),
        FileDraft("b.py").declare("b.second").edge("c.third"),
        FileDraft("c.py").declare("c.third").edge("a.first"),
        FileDraft("tests/test_b.py").declare("tests.test_b.test_second").edge("b.second"),
    ]


def test_calls_lead_up_and_down_and_end_where_they_began() -> None:
    callers, callees = tree_of(graph_of(chain()), "b.second")
    names = [[row.split()[-2] for row in rows[1:]] for rows in (callers, callees)]
    assert names == [["first", "third", "second"], ["third", "first", "second"]]
    depths = [len(row) - len(row.lstrip()) for row in callees[1:]]
    assert depths == [2, 4, 6]


def test_a_symbol_that_calls_nothing_has_its_own_row_alone() -> None:
    callers, callees = tree_of(graph_of([FileDraft("a.py").declare("a.alone")]), "a.alone")
    assert len(callers) == len(callees) == 1
    assert "a.py:1" in callers[0]


def test_a_symbol_of_many_callers_has_the_first_of_them() -> None:
    users = [FileDraft(f"u{n}.py").declare(f"u{n}.use").edge("a.first") for n in range(40)]
    callers, _ = tree_of(graph_of([FileDraft("a.py").declare("a.first"), *users]), "a.first")
    assert 1 < len(callers) < 40
