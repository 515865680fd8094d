"""Linking of Swift: names of types, and functions that fit type arguments."""

from __future__ import annotations

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.languages.native.written import edge_lines
from tests.code_graph.sources import edges, link


def test_a_type_by_another_name_is_used_by_this_name() -> None:
    text = "struct A {}\ntypealias B = A\nfunc f(a: B) {}\n"
    found = edges(link(SourceTree({"a.swift": text})), EdgeType.REFERENCES, EdgeType.ACCEPTS)
    assert found == {"B references A scope", "f references B scope"}


def test_a_type_parameter_of_the_function_fits_before_one_of_the_type() -> None:
    text = """struct Box<T> {}
struct Use<T> {
    func take(_ box: Box<T>) {}
    func take<U>(_ box: Box<U>) {}
    func run(_ box: Box<Int>) { take(box) }
}
"""
    lines = [line for line in edge_lines({"a.swift": text}) if " calls " in line]
    assert lines == ["Use.run calls Use.take@a.swift:4 inferred"]
