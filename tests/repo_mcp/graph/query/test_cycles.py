"""Cycles of imports are those of a plain search; unused symbols are those nothing can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.graph.model import EdgeType, Strategy
from repo_mcp.graph.query.cycles import Cycles, components, group_cycles
from repo_mcp.graph.query.snapshot import GraphSnapshot
from repo_mcp.graph.query.unused import unused_symbols
from repo_mcp.graph.query.whole import files, projects
from tests.repo_mcp.graph.linked_files import FileDraft, graph_of

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


def unused(graph: GraphSnapshot) -> list[str]:
    found = unused_symbols(graph, lambda symbol, _: symbol.name.startswith("test_"))
    assert not found.truncated
    return [symbol.qualified_name for symbol in found.symbols]


def test_unused_symbols_are_those_that_nothing_can_use() -> None:
    first = FileDraft("a.py").declare("a.used").declare("a.lost").edge("a.lost").edge("a.used")
    first.declare("a.api", public=True).declare("a.test_it").declare("a.named").declare("a.maybe")
    second = FileDraft("b.py").declare("b.caller").unknown("x.named")
    second.edge("a.maybe", strategy=Strategy.NAME)
    assert unused(graph_of([first, second])) == ["a.lost", "b.caller"]


def test_members_of_classes_with_unknown_bases_are_kept() -> None:
    file = FileDraft("a.py").declare("Own", "class", public=True)
    file.declare("Own.lost", "method", parent=0)
    file.declare("Sub", "class", public=True).edge("Own", EdgeType.INHERITS)
    file.declare("Sub.override", "method", parent=2).edge("Own.lost", EdgeType.OVERRIDES)
    file.declare("Alien", "class", public=True).outside("lib.Base", EdgeType.INHERITS)
    file.declare("Alien.hook", "method", parent=4)
    file.declare("Kin", "class", public=True).edge("Alien", EdgeType.INHERITS)
    file.declare("Kin.hook2", "method", parent=6)
    file.declare("Sub.plain", "method", parent=2)
    assert unused(graph_of([file])) == ["Sub.plain"]


def test_a_budget_ends_the_search_for_unused_symbols() -> None:
    graph = graph_of([FileDraft("a.py").declare("a.f").declare("a.g").edge("a.g")])
    found = unused_symbols(graph, lambda *_: False, limit=1)
    assert ([item.name for item in found.symbols], found.truncated) == (["f"], True)
