"""Tests that may reach a symbol are told where none is nearer."""

from __future__ import annotations

from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask.reaching_tests import reach_of, reaching_tests
from tests.code_graph.linked_files import FileDraft, graph_of, symbol_named


def told(graph: GraphSnapshot, line: str = "target()") -> tuple[list[str], list[str]]:
    """The tests that reach `a.target`, which is used in such lines, and those that may."""
    target = symbol_named(graph, "a.target")
    reach = reach_of(graph, target.id)
    found = reaching_tests(graph, target, reach, lambda _: [], lambda *_: line)
    tests, perhaps = (
        [test.name for file in files for test in file.tests]
        for files in (found.tests, found.perhaps)
    )
    return tests, perhaps


def drafts() -> list[FileDraft]:
    """A call that may be of the target, two steps from a test."""
    return [
        FileDraft("a.py").declare("a.target"),
        FileDraft("c.py").declare("c.caller").unknown("target"),
        FileDraft("d.py").declare("d.middle").edge("c.caller"),
        FileDraft("tests/test_d.py").declare("test_far").edge("d.middle"),
    ]


def test_a_test_that_may_reach_it_is_told_where_no_other_is_near() -> None:
    assert told(graph_of(drafts())) == ([], ["test_far"])


def test_a_test_that_reaches_it_is_told_without_those_farther_away() -> None:
    near = FileDraft("tests/test_a.py").declare("test_near").edge("a.target")
    assert told(graph_of([*drafts(), near])) == (["test_near"], [])


def test_a_test_that_may_reach_it_as_near_as_one_that_does_is_told() -> None:
    near = FileDraft("tests/test_a.py").declare("test_near").edge("a.target")
    perhaps = FileDraft("tests/test_c.py").declare("test_it").edge("c.caller")
    found = told(graph_of([*drafts(), near, perhaps]))
    assert found == (["test_near"], ["test_it"])


def test_a_test_of_a_mock_is_none_of_what_the_mock_stands_for() -> None:
    near = FileDraft("tests/test_a.py").declare("test_near").edge("a.target")
    far = FileDraft("tests/test_b.py").declare("test_far")
    graph = graph_of([*drafts()[:1], near, far.edge("test_near")])
    assert told(graph) == (["test_near", "test_far"], [])
    assert told(graph, "when(a.target()).thenReturn(1);") == ([], [])


def test_a_test_of_a_mock_is_told_of_the_file_of_tests_that_reach_it_otherwise() -> None:
    both = FileDraft("tests/test_a.py").declare("test_mocking").edge("a.target")
    far = both.declare("test_running").edge("d.middle")
    middle = FileDraft("d.py").declare("d.middle").edge("a.target")
    graph = graph_of([drafts()[0], middle, far])
    lines = {"tests/test_a.py": "verify(a).target()"}
    target = symbol_named(graph, "a.target")
    reach = reach_of(graph, target.id)
    found = reaching_tests(graph, target, reach, lambda _: [], lambda at, _: lines.get(at, ""))
    (file,) = found.tests
    assert file.is_mocking
    assert [item.name for item in file.tests] == ["test_running"]


def test_a_file_named_after_one_on_the_way_comes_before_those_as_near() -> None:
    found = reaching_files(
        FileDraft("a.py").declare("a.target"),
        FileDraft("loader.py").declare("loader.load").edge("a.target"),
        FileDraft("tests/test_cleaner.py")
        .declare("tests.test_cleaner.test_it")
        .edge("loader.load"),
        FileDraft("tests/test_loader.py").declare("tests.test_loader.test_it").edge("loader.load"),
    )
    assert found == [("tests/test_loader.py", "loader"), ("tests/test_cleaner.py", "")]


def test_a_file_named_as_many_are_is_after_none_of_them() -> None:
    same = [FileDraft(f"{name}/base.py").declare(f"{name}.base.do") for name in "xyz"]
    found = reaching_files(
        FileDraft("a.py").declare("a.target"),
        *(item.edge("a.target") for item in same),
        FileDraft("tests/test_base.py").declare("tests.test_base.test_it").edge("x.base.do"),
    )
    assert found == [("tests/test_base.py", "")]


def test_files_with_tests_that_call_it_come_first_the_one_with_most_before_others() -> None:
    one = FileDraft("tests/test_one.py").declare("tests.test_one.test_it").edge("a.target")
    two = FileDraft("tests/test_two.py")
    for name in ("test_p", "test_q"):
        two = two.declare(f"tests.test_two.{name}").edge("a.target")
    found = reaching_files(
        FileDraft("a.py").declare("a.target"),
        FileDraft("b.py").declare("b.caller").edge("a.target"),
        FileDraft("tests/test_b.py").declare("test_it").edge("b.caller"),
        one,
        two,
    )
    assert [path for path, _ in found] == [
        "tests/test_two.py",
        "tests/test_one.py",
        "tests/test_b.py",
    ]


def test_a_file_named_after_the_function_comes_before_those_as_near() -> None:
    found = reaching_files(
        FileDraft("a.py").declare("a.pause_all"),
        FileDraft("tests/test_any.py").declare("tests.test_any.test_it").edge("a.pause_all"),
        FileDraft("tests/test_pause.py").declare("tests.test_pause.test_it").edge("a.pause_all"),
        target="a.pause_all",
    )
    assert [path for path, _ in found] == ["tests/test_pause.py", "tests/test_any.py"]


def reaching_files(*files: FileDraft, target: str = "a.target") -> list[tuple[str, str]]:
    """The files of tests that reach a symbol, and after what on the way each is named."""
    graph = graph_of([*files])
    symbol = symbol_named(graph, target)
    reach = reach_of(graph, symbol.id)
    found = reaching_tests(graph, symbol, reach, lambda _: [], lambda *_: "")
    return [(item.path, item.companion) for item in found.tests]
