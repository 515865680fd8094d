"""Cycles of imports are those of a plain search; unused symbols are those nothing can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given, strategies as st

from code_graph.facts import ANONYMOUS
from code_graph.model import EdgeType, Strategy
from code_graph.query.cycles import Cycles, components, group_cycles
from code_graph.query.edges import EdgeFilter
from code_graph.query.module_names import needs_import
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.unused import unused_symbols
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


def unused(graph: GraphSnapshot) -> list[str]:
    found = unused_symbols(graph, lambda symbol, _: symbol.name.startswith("test_"))
    assert not found.truncated
    return [symbol.qualified_name for symbol in found.symbols]


def test_unused_symbols_are_those_that_nothing_can_use() -> None:
    first = FileDraft("a.py").declare("a.used").declare("a.lost").edge("a.lost").edge("a.used")
    first.declare("a.api", public=True).declare("a.test_it").declare("a.maybe")
    first.declare("a.Own", "class", public=True).declare("a.Own.named", "method", parent=5)
    second = FileDraft("b.py").declare("b.caller").unknown("x.named")
    second.edge("a.maybe", strategy=Strategy.NAME)
    assert unused(graph_of([first, second])) == ["a.lost", "b.caller"]


def test_an_unknown_value_has_no_function_of_a_module_that_nothing_holds() -> None:
    lost = FileDraft("a.py").declare("a.lost").edge("a.lost")
    caller = FileDraft("b.py").declare("b.f", public=True).unknown("x.lost")
    for_a_name = FileDraft("c.py").edge("a.py", IMPORTS, source=-1, at=(1, 0))
    for_a_name.edge("a.lost", IMPORTS, source=-1, at=(1, 14))
    whole = FileDraft("d.py").edge("a.py", IMPORTS, source=-1, at=(1, 7))
    at_run_time = FileDraft("e.py").edge("a.py", IMPORTS, source=-1, at=(1, 0))
    assert unused(graph_of([lost, caller])) == ["a.lost"]
    graph = graph_of([lost, caller, for_a_name])
    [symbol] = graph.lookup("a.lost", 2)
    assert needs_import(graph, symbol)
    for held in (whole, at_run_time):
        assert unused(graph_of([lost, caller, held])) == []


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


def test_a_class_without_a_name_is_used_where_it_stands() -> None:
    file = FileDraft("A.java", language="java").declare("A.run", "method")
    file.declare("A.run.B$1", "class", parent=0, modifiers=frozenset({ANONYMOUS}))
    file.declare("A.run.B$1.lost", "method", parent=1).edge("A.run")
    assert unused(graph_of([file])) == ["A.run.B$1.lost"]


def test_a_budget_ends_the_search_for_unused_symbols() -> None:
    graph = graph_of([FileDraft("a.py").declare("a.f").declare("a.g").edge("a.g")])
    found = unused_symbols(graph, lambda *_: False, limit=1)
    assert ([item.name for item in found.symbols], found.truncated) == (["f"], True)


def test_unused_symbols_need_a_language_whose_uses_are_known() -> None:
    rust = FileDraft("a.rs", language="rust").declare("a.lonely")
    python = FileDraft("b.py").declare("b.lonely").edge("b.lonely")
    found = unused_symbols(graph_of([rust, python]), lambda *_: False)
    assert [symbol.qualified_name for symbol in found.symbols] == ["b.lonely"]
    assert found.unlinked == ["rust"]


def test_public_symbols_are_unused_on_request_alone() -> None:
    graph = graph_of([FileDraft("a.py").declare("a.api", public=True).edge("a.api")])
    assert unused_symbols(graph, lambda *_: False).symbols == []
    [found] = unused_symbols(graph, lambda *_: False, public=True).symbols
    assert found.qualified_name == "a.api"


def test_what_comes_out_of_a_container_from_outside_may_be_ours() -> None:
    taken = FileDraft("b.py").declare("b.f").outside("collections.deque.popleft.lost")
    own = FileDraft("a.py").declare("a.C", "class", public=True)
    own.declare("a.C.lost", "method", parent=0).edge("a.C.lost")
    graph = graph_of([own, taken])
    assert unused_symbols(graph, lambda symbol, _: symbol.path == "b.py").symbols == []


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
