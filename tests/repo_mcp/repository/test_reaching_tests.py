"""Tests that may reach a symbol are told where none is nearer."""

from __future__ import annotations

from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.repository.reaching_tests import reach_of, reaching_tests
from tests.code_graph.linked_files import FileDraft, graph_of, symbol_named


def told(graph: GraphSnapshot, line: str = "target()") -> tuple[list[str], list[str]]:
    """The tests that reach `a.target`, which is used in such lines, and those that may."""
    target = symbol_named(graph, "a.target")
    reach = reach_of(graph, target.id)
    found = reaching_tests(graph, target, reach, lambda _: [], lambda *_: line)
    return [item.name for item in found.tests], [item.name for item in found.perhaps]


def drafts() -> list[FileDraft]:
    """A call that may be of the target, two steps from a test."""
    return [
        FileDraft("a.py").declare("a.target"),
        FileDraft("c.py").declare("c.caller").unknown("target"),
        FileDraft("d.py").declare("d.middle").edge("c.caller"),
        FileDraft("tests/test_d.py").declare("tests.test_d.test_far").edge("d.middle"),
    ]


def test_a_test_that_may_reach_it_is_told_where_no_other_is_near() -> None:
    assert told(graph_of(drafts())) == ([], ["tests.test_d.test_far"])


def test_a_test_that_reaches_it_is_told_without_those_farther_away() -> None:
    near = FileDraft("tests/test_a.py").declare("tests.test_a.test_near").edge("a.target")
    assert told(graph_of([*drafts(), near])) == (["tests.test_a.test_near"], [])


def test_a_test_that_may_reach_it_as_near_as_one_that_does_is_told() -> None:
    near = FileDraft("tests/test_a.py").declare("tests.test_a.test_near").edge("a.target")
    perhaps = FileDraft("tests/test_c.py").declare("tests.test_c.test_it").edge("c.caller")
    found = told(graph_of([*drafts(), near, perhaps]))
    assert found == (["tests.test_a.test_near"], ["tests.test_c.test_it"])


def test_a_test_of_a_mock_is_none_of_what_the_mock_stands_for() -> None:
    near = FileDraft("tests/test_a.py").declare("tests.test_a.test_near").edge("a.target")
    far = FileDraft("tests/test_b.py").declare("tests.test_b.test_far")
    graph = graph_of([*drafts()[:1], near, far.edge("tests.test_a.test_near")])
    assert told(graph) == (["tests.test_a.test_near", "tests.test_b.test_far"], [])
    assert told(graph, "when(a.target()).thenReturn(1);") == ([], [])
