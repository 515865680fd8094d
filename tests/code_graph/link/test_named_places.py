"""Places that name a declaration have an edge to it, or say that they may mean another."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from code_graph.model import EdgeType, LinkedFile


def linked(path: str, text: str) -> tuple[LinkedFile, dict[int, str]]:
    """A linked file, and the qualified names of its symbols by id."""
    file = GraphLinker(SourceTree({path: text})).link(path)
    return file, {symbol.id: symbol.qualified_name for symbol in file.symbols}


def uses(path: str, text: str, name: str) -> list[tuple[int, str]]:
    """The lines of the uses of a name, with the types of their edges."""
    file, names = linked(path, text)
    return sorted(
        (edge.line, EdgeType(edge.type).name)
        for edge in file.edges
        if names.get(edge.target) == name and edge.type != EdgeType.CONTAINS
    )


def test_an_assigned_function_is_a_use_of_the_variable_around() -> None:
    text = (
        "let run = f => f()\n"
        "export function replace(fn) {\n"
        "  run = f => fn(f)\n"
        "}\n"
        "export function go() { run(go) }\n"
    )
    assert uses("a.ts", text, "run") == [(3, "REFERENCES"), (5, "CALLS")]


def test_a_function_that_is_assigned_where_it_is_declared_uses_nothing() -> None:
    assert uses("a.js", "run = function () {}\n", "run") == []


def test_in_a_class_its_name_means_the_class_and_no_constructor() -> None:
    text = (
        "struct State {\n"
        "  State();\n"
        "  int go();\n"
        "  static int kept;\n"
        "};\n"
        "int State::kept = 0;\n"
        "State::State() {}\n"
        "int State::go() { return State::kept; }\n"
        "State* make() { return new State(); }\n"
    )
    assert (8, "REFERENCES") in uses("a.cc", text, "State")
    assert uses("a.cc", text, "State::State") == [(9, "CALLS")]


def test_a_method_of_a_trait_in_scope_may_be_another_where_the_value_is_not_known() -> None:
    text = (
        "trait Ext { fn is_match(&self) -> bool; }\n"
        "impl<T: Copy> Ext for T { fn is_match(&self) -> bool { true } }\n"
        "fn f(v: u64) {\n"
        "    for (a, b) in made!().iter().with_ids() { b.is_match(); }\n"
        "    v.is_match();\n"
        "}\n"
    )
    file, names = linked("a.rs", text)
    calls = [edge for edge in file.edges if edge.type == EdgeType.CALLS]
    assert sorted((edge.line, names[edge.target]) for edge in calls) == [
        (4, "crate::a::Ext::is_match"),
        (5, "crate::a::Ext::is_match"),
    ]
    assert [(use.line, use.name) for use in file.unresolved] == [(4, "is_match")]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("const append = open('a');", set()),
        ("const append = bind(log.append);", {"append"}),
        ("const append = log.append;", {"append"}),
        ("const { append } = log;", {"append"}),
    ],
)
def test_a_local_variable_made_by_a_call_is_no_use_of_its_name(made: str, told: set[str]) -> None:
    text = f"export function f(log) {{ {made} append(10); }}\n"
    file, _ = linked("a.js", text)
    assert {use.name for use in file.unresolved} & {"append"} == told
