"""Targets of a text, walks over unsure edges, and members that count as their class."""

from __future__ import annotations

import pytest

from code_graph.facts import MODULE, Declaration
from code_graph.model import Confidence, EdgeType
from code_graph.query.names import find_targets, node_text, parse_node_id, symbols_named
from code_graph.query.neighbours import (
    edges_between,
    members_of,
    source_ids,
    targets_of,
    up_to,
)
from code_graph.query.paths import closure, connect
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import FileDraft, graph_of, id_of

CALLS = (EdgeType.CALLS,)
EVERY = up_to(Confidence.POSSIBLE, CALLS)


@pytest.fixture(scope="module")
def graph() -> GraphSnapshot:
    base = FileDraft("a/base.py").declare("a.Base", "class").declare("a.Base.run", "method")
    base.declarations[1] = base.declarations[1].__class__(
        "method", "run", 12, 14, 12, 4, 0, "def run()"
    )
    base.edge("a.Base.run", EdgeType.CONTAINS, source=0)
    own = FileDraft("a/own.py").declare("a.Own.run", "method")
    own.edge("a.Base.run", EdgeType.OVERRIDES)
    caller = FileDraft("b/caller.py").declare("b.caller").edge("a.Base.run").outside("os.path.join")
    loose = FileDraft("b/loose.py").declare("b.loose").unknown("run")
    return graph_of([base, own, caller, loose])


def found(graph: GraphSnapshot, text: str, limit: int = 10) -> list[str]:
    return [target.name for target in find_targets(graph, text, limit).targets]


def test_a_text_is_an_id_a_file_a_line_or_a_name(graph: GraphSnapshot) -> None:
    assert found(graph, node_text(id_of("a.Own.run"))) == ["a.Own.run"]
    assert found(graph, "a/base.py") == ["a/base.py"]
    assert found(graph, "./a/base.py:13") == ["a.Base.run"]
    assert found(graph, "a/base.py:5:3") == ["a.Base"]
    assert found(graph, "a/base.py:run") == ["a.Base.run"]
    assert found(graph, "b:caller") == found(graph, "./b/:b.caller") == ["b.caller"]
    assert found(graph, "a:run") == ["a.Base.run", "a.Own.run"]
    assert found(graph, "Own::run") == ["a.Own.run"]
    assert found(graph, "os.path.join") == ["os.path.join"]
    for nothing in (
        "",
        " ",
        "nowhere",
        "a/none.py:3",
        "a/base.py:none",
        "b:run",
        "wn.run",
        "0" * 16,
    ):
        assert found(graph, nothing) == []


def test_all_that_a_name_may_mean_is_given_up_to_a_limit(graph: GraphSnapshot) -> None:
    assert found(graph, "run") == ["a.Base.run", "a.Own.run"]
    one = find_targets(graph, "run", 1)
    assert ([target.name for target in one.targets], one.truncated) == (["a.Base.run"], True)
    assert symbols_named(graph, "run", 1)[1]


@pytest.mark.parametrize("text", ["Box.run", "run", "cli.Box.run"])
def test_a_method_apart_from_its_type_is_found_by_its_name_in_its_case(text: str) -> None:
    """Such a method is declared as `Box.run`: its type may be in another file."""
    file = FileDraft("run.go", language="go")
    file.declare("cli.Box.Run", "method").declare("cli.Box.run", "method")
    names = [("Box.Run", 1), ("Box.run", 11)]
    file.declarations[:] = [
        Declaration("method", name, line, line + 9, line, 4, MODULE, f"func (b *Box) {name}()")
        for name, line in names
    ]
    graph = graph_of([file])
    assert found(graph, text) == ["cli.Box.run"]
    assert found(graph, text.replace("run", "Run")) == ["cli.Box.Run"]


@pytest.mark.parametrize("text", ["lib::Box::run", "Box::run", "Box.run", "x.cpp:Box::run"])
def test_last_parts_of_a_name_with_colons_are_found(text: str) -> None:
    file = FileDraft("x.cpp", language="cpp")
    file.declare("lib::Box::run", "method")
    file.declarations[0] = Declaration("method", "run", 1, 10, 1, 4, MODULE, "void run()")
    assert found(graph_of([file]), text) == ["lib::Box::run"]


@pytest.mark.parametrize("text", ["lib\\Box::run", "\\lib\\Box::run", "Box::run", "lib.Box.run"])
def test_namespaces_may_be_written_with_backslashes(text: str) -> None:
    file = FileDraft("x.php", language="php")
    file.declare("lib\\Box::run", "method")
    file.declarations[0] = Declaration("method", "run", 1, 10, 1, 4, MODULE, "function run()")
    assert found(graph_of([file]), text) == ["lib\\Box::run"]


def test_ids_are_hexadecimal_numbers() -> None:
    assert parse_node_id(" 00FF ") == 255
    assert parse_node_id("xyz") is None
    assert parse_node_id("1" * 17) is None


def test_walks_take_unsure_edges_that_are_asked_for(graph: GraphSnapshot) -> None:
    own, caller, loose = map(id_of, ("a.Own.run", "b.caller", "b.loose"))
    assert source_ids(graph, own, up_to(Confidence.INFERRED, CALLS)) == []
    assert source_ids(graph, own, up_to(Confidence.DISPATCH, CALLS)) == [caller]
    assert source_ids(graph, own, up_to(Confidence.PROBABLE, CALLS)) == sorted([caller, loose])
    assert own in targets_of(graph, caller, EVERY)
    assert own in targets_of(graph, loose, EVERY)
    [edge] = edges_between(graph, loose, own, EVERY)
    assert (edge.confidence, edge.path, edge.line) == (Confidence.PROBABLE, "b/loose.py", 4)
    reached = closure(graph, own, EVERY, depth=3).reached
    assert {item.id for item in reached} == {caller, loose}
    way = connect(graph, caller, own, EVERY)
    assert [edge.confidence for edge in way.edges] == [Confidence.DISPATCH]


def test_members_count_as_their_class(graph: GraphSnapshot) -> None:
    base, run, caller = map(id_of, ("a.Base", "a.Base.run", "b.caller"))
    assert members_of(graph, base) == [run]
    chosen = up_to(Confidence.INFERRED, CALLS)
    assert closure(graph, base, chosen, depth=2).reached == []
    [reached] = closure(graph, base, chosen, depth=2, also=[run]).reached
    assert (reached.id, reached.next) == (caller, run)
    assert not connect(graph, caller, base, chosen).edges
    [edge] = connect(graph, caller, base, chosen, members=((), [run])).edges
    assert edge.target == run


def test_a_search_forwards_finds_what_is_reached(graph: GraphSnapshot) -> None:
    [reached] = closure(
        graph, id_of("b.caller"), up_to(Confidence.INFERRED, CALLS), depth=3, forward=True
    ).reached
    assert (reached.id, reached.next) == (id_of("a.Base.run"), id_of("b.caller"))


def test_a_file_may_end_a_search() -> None:
    user = FileDraft("user.py").edge("f", source=-1)
    importer = FileDraft("importer.py").edge("user.py", EdgeType.IMPORTS, source=-1)
    files = graph_of([FileDraft("f.py").declare("f"), user, importer])
    chosen = up_to(Confidence.INFERRED, (EdgeType.CALLS, EdgeType.IMPORTS))
    far = closure(files, id_of("f"), chosen, depth=5)
    near = closure(files, id_of("f"), chosen, depth=5, through_files=False)
    assert [item.id for item in far.reached] == [id_of("user.py"), id_of("importer.py")]
    assert [item.id for item in near.reached] == [id_of("user.py")]
