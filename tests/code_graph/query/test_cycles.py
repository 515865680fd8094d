"""Cycles of imports are those of a plain search, and groups of files have arrows between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given, strategies as st

from code_graph.model import EdgeType, Strategy
from code_graph.query.cycles import Cycles, components, group_cycles
from code_graph.query.edges import EdgeFilter
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole import arrows, files, first_edges, folders, projects
from tests.code_graph.linked_files import FileDraft, graph_of

IMPORTS = EdgeType.IMPORTS
nodes = st.integers(0, 7)


def reach(edges: Mapping[int, Sequence[int]], start: int) -> set[int]:
    found: set[int] = set()
    pending = [start]
    while pending:
        for to in edges.get(pending.pop(), ()):
            if to not in found:
                found.add(to)
                pending.append(to)
    return found


@given(st.dictionaries(nodes, st.lists(nodes, max_size=4)))
def test_components_are_the_nodes_that_reach_each_other(edges: dict[int, list[int]]) -> None:
    found = sorted(sorted(part) for part in components(edges))
    known = set(edges).union(*edges.values())
    expected = {
        tuple(sorted({a, *(b for b in reach(edges, a) if a in reach(edges, b))})) for a in known
    }
    assert found == sorted(map(list, expected))


def importing(path: str, *targets: str, project: str = "") -> FileDraft:
    draft = FileDraft(path, project)
    for target in targets:
        draft.edge(target, IMPORTS, Strategy.IMPORT, source=-1)
    return draft


def file_cycles(graph: GraphSnapshot, budget: int = 1000) -> Cycles:
    return group_cycles(graph, files(graph), budget=budget)


def test_files_that_import_each_other_are_shown_with_a_cycle() -> None:
    drafts = [
        importing("c.py", "a.py", "b.py"),
        importing("b.py", "c.py"),
        importing("a.py", "b.py"),
        importing("d.py", "a.py", "d.py"),
    ]
    for graph in (graph_of(drafts), graph_of(drafts[:2], drafts[2:])):
        [found] = file_cycles(graph).cycles
        assert found.members == ["a.py", "b.py", "c.py"]
        assert found.cycle == ["a.py", "b.py", "c.py", "a.py"]
    assert file_cycles(graph_of(drafts[3:])).cycles == []
    assert file_cycles(graph_of(drafts), budget=1).truncated


def test_projects_that_import_each_other_are_found() -> None:
    drafts = [
        importing("a/x.py", "b/x.py", project="a"),
        importing("b/x.py", "a/y.py", project="b"),
        importing("a/y.py", project="a"),
        importing("c/x.py", "a/y.py", project="c"),
    ]
    graph = graph_of(drafts)
    assert file_cycles(graph).cycles == []
    [found] = group_cycles(graph, projects(graph)).cycles
    assert found[:2] == (["a", "b"], ["a", "b", "a"])


def test_groups_of_files_have_counts_and_first_places() -> None:
    drafts = [
        FileDraft("one/a.py").declare("a").edge("b").edge("c", at=(9, 1)),
        FileDraft("two/b.py").declare("b").declare("c").edge("b"),
        FileDraft("top.py").declare("t").edge("a"),
    ]
    graph = graph_of(drafts)
    groups = folders(graph)
    calls = EdgeFilter((EdgeType.CALLS,))
    found = arrows(graph, groups, calls)
    pairs = [tuple(groups.name_of(at) for at in pair) for pair in found.pairs.tolist()]
    assert pairs == [(".", "one"), ("one", "two")]
    assert found.counts.tolist() == [1, 2]
    wanted = {(a, b) for a, b in found.pairs.tolist()}
    places = first_edges(graph, groups, calls, wanted)
    assert [(edge.path, edge.line) for _, edge in sorted(places.items())] == [
        ("top.py", 2),
        ("one/a.py", 2),
    ]
    assert folders(graph, 0).name_of(0) == "."
