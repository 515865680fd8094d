"""Unused symbols are those that nothing can use."""

from __future__ import annotations

from code_graph.facts import ANONYMOUS
from code_graph.model import EdgeType, Strategy
from code_graph.query.module_names import needs_import
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask import unused_symbols
from tests.code_graph.linked_files import FileDraft, graph_of

IMPORTS = EdgeType.IMPORTS


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
