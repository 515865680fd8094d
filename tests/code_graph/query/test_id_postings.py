"""Edges to many symbols at once are those that the dictionaries have of each one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from code_graph.model import Confidence, EdgeType
from code_graph.query import id_postings
from code_graph.query.edges import EdgeFilter, having_edges, sources_of
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import GRAPH_FIELDS, TARGET
from code_graph.store.terms import target_term
from tests.code_graph.linked_files import FileDraft, graph_of, id_of

NODES = [f"n{number}" for number in range(6)]
FILTERS = (
    EdgeFilter((EdgeType.CALLS,)),
    EdgeFilter((EdgeType.CALLS, EdgeType.CONTAINS), (Confidence.EXACT,)),
    EdgeFilter(),
)
calls = st.dictionaries(
    st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=4), max_size=6
)


def drafts(given_calls: dict[str, list[str]]) -> list[FileDraft]:
    made = []
    for name in NODES:
        draft = FileDraft(f"{name}.py").declare(name)
        for target in given_calls.get(name, ()):
            draft.edge(target)
        made.append(draft)
    return made


def by_terms(graph: GraphSnapshot, target: int, chosen: EdgeFilter) -> list[tuple[int, int]]:
    """Chunks with edges to a target, and how many, from the postings of each term."""
    found: list[tuple[int, int]] = []
    for kind in chosen.types:
        for confidence in chosen.confidences:
            term = target_term(kind, confidence, target)
            for item in graph.snapshot.postings(GRAPH_FIELDS.index(TARGET), term):
                chunks, counts = item.postings.all()
                placed = (chunks.astype(np.int64) + item.segment.base).tolist()
                pairs = zip(placed, counts.tolist(), strict=True)
                found += [pair for pair in pairs if graph.alive[pair[0]]]
    return sorted(found)


# the cost of a look-up in terms that are decoded, the size of a segment that is one alone, and that
# of a graph that is decoded
MANY = 1 << 30
WAYS = [(0, MANY, MANY), (MANY, MANY, MANY), (MANY, 0, MANY), (MANY, MANY, 0)]
NAMES = ["looked up", "joined", "by segment", "too large"]


@pytest.mark.parametrize(("terms", "large", "most"), WAYS, ids=NAMES)
@given(before=calls, after=calls)
def test_whatever_is_decoded_edges_are_those_of_the_terms(
    terms: int, large: int, most: int, before: dict[str, list[str]], after: dict[str, list[str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_postings, "_TERMS_PER_LOOKUP", terms)
        patch.setattr(id_postings, "_LARGE", large)
        patch.setattr(id_postings, "_MOST_TERMS", most)
        graph = graph_of(drafts(before), drafts(after)[:3])  # three files of the first are dead
        targets = [*map(id_of, NODES), id_of("n0.py"), 12345]
        for chosen in FILTERS:
            together = having_edges(graph, targets, chosen)
            for target in targets:
                chunks, counts = sources_of(graph, target, chosen)
                pairs = zip(chunks.tolist(), counts.tolist(), strict=True)
                expected = by_terms(graph, target, chosen)
                assert sorted(pairs) == expected
                assert chunks.tolist() == sorted(chunks.tolist())
                sources = sorted({int(graph.ids[chunk]) for chunk, _ in expected})
                assert together.get(target, []) == sources


def test_a_symbol_with_more_terms_than_are_read_one_by_one_has_all_edges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(id_postings, "_TERMS_PER_LOOKUP", 1 << 30)
    monkeypatch.setattr(id_postings, "_FEW_ROWS", 0)
    graph = graph_of(drafts({name: ["n0"] for name in NODES}))
    chosen = FILTERS[0]
    assert sorted(sources_of(graph, id_of("n0"), chosen)[0].tolist()) == [
        chunk for chunk, _ in by_terms(graph, id_of("n0"), chosen)
    ]
    assert len(having_edges(graph, [id_of("n0")], chosen)[id_of("n0")]) == len(NODES)
