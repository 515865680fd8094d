"""A name in code of one language says nothing of what others declare, but for those it can use."""

from __future__ import annotations

import pytest

from code_graph.language_table import LANGUAGES, may_name
from code_graph.query.dispatch import possible_callees, possible_callers
from code_graph.query.edges import external_places, external_uses, unresolved_uses
from tests.code_graph.linked_files import FileDraft, graph_of, id_of, symbol_named


@pytest.mark.parametrize(
    ("user", "declared", "expected"),
    [
        ("python", "python", True),
        ("typescript", "vue", True),
        ("javascript", "tsx", True),
        ("kotlin", "java", True),
        ("scala", "java", True),
        ("cpp", "c", True),
        ("swift", "objc", True),
        ("python", "protobuf", True),
        ("typescript", "python", False),
        ("python", "typescript", False),
        ("python", "shell", False),
        ("go", "rust", False),
        ("unheard", "unheard", True),
        ("unheard", "python", False),
    ],
)
def test_languages_that_name_each_other(user: str, declared: str, *, expected: bool) -> None:
    assert may_name(user, declared) == expected


def test_a_language_names_itself() -> None:
    assert all(may_name(item.name, item.name) for item in LANGUAGES)


def test_calls_of_a_name_are_those_of_languages_that_may_mean_it() -> None:
    mine = FileDraft("a.py").declare("a.Box.copy", "method").declare("a.use").unknown("copy")
    mine.outside("lib.copy")
    other = FileDraft("b.ts", language="typescript").declare("b.Page.copy", "method")
    other.declare("b.run").unknown("copy").outside("lib.copy")
    graph = graph_of([mine, other])
    copy = symbol_named(graph, "a.Box.copy")
    assert [edge.source for edge in possible_callers(graph, copy.id)] == [id_of("a.use")]
    assert [edge.target for edge in possible_callees(graph, id_of("b.run"))] == [
        id_of("b.Page.copy")
    ]
    assert unresolved_uses(graph, "copy", language="python") == 1
    assert external_uses(graph, "copy", language="python") == 1
    places = external_places(graph, "copy", language="typescript")
    assert [edge.path for edge in places] == ["b.ts"]
    assert (unresolved_uses(graph, "copy"), external_uses(graph, "copy")) == (2, 2)


def test_functions_of_c_may_be_called_from_any_language() -> None:
    code = FileDraft("a.c", language="c").declare("speed_up")
    use = FileDraft("b.py").declare("b.run").unknown("speed_up")
    graph = graph_of([code, use])
    found = possible_callers(graph, id_of("speed_up"))
    assert [edge.source for edge in found] == [id_of("b.run")]
