"""Of several symbols of one name the likeliest is taken, and the others are listed."""

from __future__ import annotations

import pytest

from code_graph.query.choice import MOST_CANDIDATES, choose_target, exact_symbols
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import FileDraft, graph_of


@pytest.fixture(scope="module")
def graph() -> GraphSnapshot:
    drafts = [
        FileDraft("a/rare.py").declare("a.rare.run"),
        FileDraft("b/often.py").declare("b.often.run"),
        FileDraft("examples/shown.py").declare("examples.shown.run"),
        FileDraft("tests/test_run.py").declare("tests.test_run.run"),
        FileDraft("c/names.py").declare("c.names.JsonReader", "class"),
    ]
    for number in range(3):
        caller = FileDraft(f"d/caller{number}.py").declare(f"d.caller{number}")
        drafts.append(caller.edge("b.often.run").edge("tests.test_run.run"))
        drafts.append(
            FileDraft(f"d/more{number}.py").declare(f"d.more{number}").edge("tests.test_run.run")
        )
    return graph_of(drafts)


def names(graph: GraphSnapshot, text: str) -> list[str]:
    """The chosen symbol, then the others."""
    found = choose_target(graph, text)
    chosen = [] if found.target is None else [found.target.name]
    return [*chosen, *(target.name for target in found.others)]


def test_code_comes_before_samples_and_tests_and_the_most_used_first(graph: GraphSnapshot) -> None:
    assert names(graph, "run") == [
        "b.often.run",
        "a.rare.run",
        "examples.shown.run",
        "tests.test_run.run",
    ]


def test_a_dotted_name_and_a_place_leave_no_choice(graph: GraphSnapshot) -> None:
    assert names(graph, "rare.run") == ["a.rare.run"]
    assert names(graph, "tests/test_run.py:1") == ["tests.test_run.run"]


def test_a_choice_may_be_narrowed_and_stays_open_where_nothing_fits(graph: GraphSnapshot) -> None:
    in_tests = choose_target(graph, "run", lambda target: target.name.startswith("tests."))
    assert in_tests.target is not None
    assert (in_tests.target.name, in_tests.others) == ("tests.test_run.run", ())
    nowhere = choose_target(graph, "run", lambda _: False)
    assert nowhere.target is not None
    assert nowhere.target.name == "b.often.run"


@pytest.mark.parametrize("written", ["jsonreader", "json_reader", "JSON_READER", "jsonReader"])
def test_a_name_in_another_style_means_the_declared_one(graph: GraphSnapshot, written: str) -> None:
    assert names(graph, written) == ["c.names.JsonReader"]


def test_a_name_of_nothing_means_nothing(graph: GraphSnapshot) -> None:
    assert names(graph, "absent") == names(graph, "") == names(graph, "0" * 16) == []


def test_exact_symbols_have_the_name_as_it_is(graph: GraphSnapshot) -> None:
    assert [item.path for item in exact_symbols(graph, "run", 2)] == ["b/often.py", "a/rare.py"]
    assert [item.path for item in exact_symbols(graph, "rare.run", 9)] == ["a/rare.py"]
    assert exact_symbols(graph, "jsonreader", 9) == exact_symbols(graph, "run*", 9) == []
    assert exact_symbols(graph, "run fast", 9) == []


def test_of_very_many_symbols_of_a_name_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = FileDraft("a/many.py")
    for number in range(MOST_CANDIDATES * 2):
        draft.declare(f"a.many.C{number}.run", "method")
    counted: list[int] = []

    def count(_: GraphSnapshot, target: int) -> int:
        counted.append(target)
        return 0

    monkeypatch.setattr("code_graph.query.choice.reference_count", count)
    found = choose_target(graph_of([draft]), "run")
    assert found.truncated
    assert len(counted) == MOST_CANDIDATES
