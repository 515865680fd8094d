"""Edges into a symbol and out of it: complete, in order, in pages, and counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from code_graph.identity import external_id
from code_graph.model import CONFIDENCE_OF, Confidence, EdgeType, Strategy
from code_graph.query.edges import (
    EdgeFilter,
    edges_into,
    edges_out_of,
    reference_count,
    unresolved_uses,
)
from code_graph.query.model import ALL_TYPES, PlacedEdge
from code_graph.query.neighbours import outgoing_edges
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import FileDraft, graph_of, id_of

CALLS = EdgeFilter([EdgeType.CALLS])
EVERYTHING = EdgeFilter(ALL_TYPES, tuple(Confidence))


def sample() -> GraphSnapshot:
    lib = FileDraft("lib.py").declare("lib.run")
    first = FileDraft("a.py").declare("a.f").edge("lib.run", at=(9, 4)).edge("lib.run", at=(3, 2))
    first.declare("a.g").edge("lib.run", strategy=Strategy.OVERRIDE).outside("os.run")
    second = FileDraft("b.py").edge("lib.run", EdgeType.IMPORTS, at=(1, 0))
    second.declare("b.h").edge("lib.run", strategy=Strategy.FLOW).unknown("run").unknown("x.run")
    return graph_of([lib, first, second])


def places(edges: object) -> list[tuple[str, int, int]]:
    assert isinstance(edges, list)
    return [(edge.path, edge.line, edge.column) for edge in edges]


def test_callers_come_by_path_and_line_with_counts() -> None:
    page = edges_into(sample(), id_of("lib.run"), CALLS, limit=10)
    assert places(page.edges) == [("a.py", 3, 2), ("a.py", 9, 4), ("b.py", 2, 0)]
    assert page.counts == (3, 2, 1, False)
    assert page.next_offset is None
    assert [edge.confidence.name for edge in page.edges] == ["EXACT", "EXACT", "INFERRED"]
    assert {edge.source for edge in page.edges} == {id_of("a.f"), id_of("b.h")}


def test_less_sure_edges_come_on_request() -> None:
    graph = sample()
    found = edges_into(graph, id_of("lib.run"), EdgeFilter([0], [Confidence.DISPATCH]), limit=10)
    assert places(found.edges) == [("a.py", 12, 0)]
    assert len(edges_into(graph, id_of("lib.run"), EVERYTHING, limit=10).edges) == 5
    assert reference_count(graph, id_of("lib.run")) == 4
    assert unresolved_uses(graph, "run") == 2


def test_edges_to_declarations_that_the_graph_lacks_name_nothing() -> None:
    graph = graph_of([FileDraft("a.py").declare("a.f").edge("gone.run").outside("os.run")])
    found = edges_out_of(graph, id_of("a.f"), CALLS, limit=10)
    assert [edge.external for edge in found.edges] == ["os.run"]
    assert found.counts == (0, 0, 1, False)
    assert [*outgoing_edges(graph, id_of("a.f"), CALLS)] == list(found.edges)


def test_callees_of_a_symbol_include_those_outside() -> None:
    page = edges_out_of(sample(), id_of("a.g"), EVERYTHING, limit=10)
    assert [edge.external for edge in page.edges] == ["", "os.run"]
    assert page.counts == (1, 0, 1, False)
    unknown = edges_out_of(sample(), id_of("b.h"), CALLS, limit=10)
    assert unknown.counts == (1, 2, 0, False)


def test_callers_of_a_symbol_outside_are_found_by_its_name() -> None:
    page = edges_into(sample(), external_id("os.run"), CALLS, limit=10)
    assert places(page.edges) == [("a.py", 13, 0)]
    assert page.edges[0].external == "os.run"
    assert page.counts == (1, 2, 1, False)


def test_edges_of_all_parts_are_joined() -> None:
    first = FileDraft("b.cs").declare("T", "class").edge("X", EdgeType.INHERITS)
    second = FileDraft("a.cs").declare("T", "class", primary=False).edge("Y", EdgeType.INHERITS)
    bases = FileDraft("c.cs").declare("X", "class").declare("Y", "class")
    page = edges_out_of(graph_of([first], [second], [bases]), id_of("T"), limit=10)
    assert [edge.target for edge in page.edges] == [id_of("Y"), id_of("X")]


def test_nothing_is_known_of_a_symbol_that_is_not_there() -> None:
    for page in (edges_into(sample(), 7, limit=3), edges_out_of(sample(), 7, limit=3)):
        assert page == ([], (0, 0, 0, False), None)


def test_the_surest_of_equal_edges_is_kept() -> None:
    draft = FileDraft("a.py").declare("a.f").edge("a.f", strategy=Strategy.NAME, at=(2, 2))
    draft.edge("a.f", strategy=Strategy.SCOPE, at=(2, 2))
    page = edges_into(graph_of([draft]), id_of("a.f"), EVERYTHING, limit=5)
    assert [edge.strategy for edge in page.edges] == [Strategy.SCOPE]


@st.composite
def drafts(draw: st.DrawFn) -> list[FileDraft]:
    """Files whose functions call a few names."""
    files = []
    for path in draw(st.lists(st.sampled_from("abcdefg"), unique=True, min_size=1)):
        file = FileDraft(f"{path}.py")
        for number in range(draw(st.integers(0, 3))):
            file.declare(f"{path}.f{number}")
            for line, kind, strategy in draw(
                st.lists(
                    st.tuples(
                        st.integers(1, 9),
                        st.sampled_from([EdgeType.CALLS, EdgeType.REFERENCES]),
                        st.sampled_from(Strategy),
                    ),
                    max_size=4,
                )
            ):
                file.edge("a.f0", kind, strategy, at=(line, number))
        files.append(file)
    return files


def pages(graph: GraphSnapshot, chosen: EdgeFilter, limit: int) -> Iterator[PlacedEdge]:
    offset: int | None = 0
    while offset is not None:
        page = edges_into(graph, id_of("a.f0"), chosen, offset=offset, limit=limit)
        assert page.counts.truncated == (page.next_offset is not None)
        offset = page.next_offset
        yield from page.edges


@given(drafts(), drafts(), st.integers(1, 4))
def test_pages_join_to_all_edges_in_order(
    first: list[FileDraft], second: list[FileDraft], limit: int
) -> None:
    graph = graph_of(first, second)
    alive = {file.path: file for file in (*first, *second)}
    for chosen in (CALLS, EVERYTHING):
        expected: dict[tuple[str, int, int, int, int], int] = {}
        for file in alive.values():
            for edge in file.source().linked.edges:
                key = (file.path, edge.line, edge.column, edge.source, edge.type)
                expected[key] = min(expected.get(key, 99), edge.strategy)
        found = list(pages(graph, chosen, limit))
        total = edges_into(graph, id_of("a.f0"), chosen, limit=1).counts.resolved
        wanted = [
            (path, line, column)
            for (path, line, column, _, kind), strategy in sorted(expected.items())
            if kind in chosen.types
            and (chosen is EVERYTHING or CONFIDENCE_OF[Strategy(strategy)] <= Confidence.CONTRACT)
        ]
        assert places(found) == wanted
        assert total == len(wanted)


@pytest.mark.parametrize("limit", [1, 2])
def test_callees_come_in_pages_too(limit: int) -> None:
    graph = sample()
    whole = edges_out_of(graph, id_of("a.f"), limit=10).edges
    first = edges_out_of(graph, id_of("a.f"), limit=limit)
    assert list(first.edges) == whole[:limit]
    assert first.next_offset == (limit if limit < len(whole) else None)
