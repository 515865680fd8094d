"""Searches over several edges find what a plain search finds, on shortest ways, within budgets."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hypothesis import given, strategies as st

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter
from code_graph.query.neighbours import CALLS
from code_graph.query.paths import (
    AFFECTS,
    closure,
    connect,
    evidence,
)
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import FileDraft, graph_of, id_of

NODES = [f"n{number}" for number in range(7)]
Calls = Mapping[str, Sequence[str]]
calls = st.dictionaries(
    st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=3, unique=True)
)


def graph_with(given_calls: Calls) -> GraphSnapshot:
    drafts = []
    for name in NODES:
        draft = FileDraft(f"{name}.py").declare(name)
        for target in given_calls.get(name, ()):
            draft.edge(target)
        drafts.append(draft)
    return graph_of(drafts)


def distances(given_calls: Calls, start: str) -> dict[str, int]:
    """The distance of each node that calls lead to."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        name = queue.popleft()
        for to in given_calls.get(name, ()):
            if to not in found:
                found[to] = found[name] + 1
                queue.append(to)
    return found


@given(calls, st.sampled_from(NODES))
def test_all_callers_of_callers_are_found_on_shortest_ways(given_calls: Calls, target: str) -> None:
    graph = graph_with(given_calls)
    found = closure(graph, id_of(target), CALLS, depth=10)
    expected = {
        id_of(name): distances(given_calls, name)[target]
        for name in NODES
        if name != target and target in distances(given_calls, name)
    }
    assert {item.id: item.distance for item in found.reached} == expected
    assert not found.truncated
    ways = found.ways()
    for item in found.reached:
        way = ways[item.id]
        assert (len(way) - 1, way[0], way[-1]) == (item.distance, item.id, id_of(target))
        steps = evidence(graph, way, CALLS)
        assert [(edge.source, edge.target) for edge in steps] == list(pairwise(way))


@given(calls, st.sampled_from(NODES), st.sampled_from(NODES))
def test_a_shortest_connection_is_found_from_both_ends(
    given_calls: Calls, source: str, target: str
) -> None:
    found = connect(graph_with(given_calls), id_of(source), id_of(target), CALLS, depth=20)
    expected = distances(given_calls, source).get(target)
    assert not found.truncated
    assert len(found.edges) == (expected or 0)
    if expected:
        assert found.edges[0].source == id_of(source)
        assert found.edges[-1].target == id_of(target)
        for first, second in pairwise(found.edges):
            assert first.target == second.source


def test_depth_and_budget_end_a_search() -> None:
    graph = graph_with({name: [NODES[at]] for at, name in enumerate(NODES[1:])})
    near = closure(graph, id_of("n0"), CALLS, depth=2)
    assert [item.distance for item in near.reached] == [1, 2]
    few = closure(graph, id_of("n0"), CALLS, depth=10, budget=3)
    assert (len(few.reached), few.truncated) == (3, True)
    assert connect(graph, id_of("n6"), id_of("n0"), CALLS, budget=2).truncated


def test_impact_goes_over_types_of_edges_and_stops_at_unsure_ones() -> None:
    base = FileDraft("a.py").declare("A", "class")
    sub = FileDraft("b.py").declare("B", "class").edge("A", EdgeType.INHERITS)
    user = FileDraft("c.py").declare("use").edge("B", EdgeType.REFERENCES)
    graph = graph_of([base, sub, user])
    found = closure(graph, id_of("A"), AFFECTS, depth=5)
    assert [item.id for item in found.reached] == [id_of("B"), id_of("use")]
    assert closure(graph, id_of("A"), EdgeFilter([EdgeType.CALLS]), depth=5).reached == []
