"""Classes of Python are protocols by shape: all members are there, and none is named."""

from __future__ import annotations

import pytest

from code_graph.model import Confidence, EdgeType
from code_graph.query.dispatch import is_not_extended
from code_graph.query.neighbours import derived_edges_into, incoming_edges, up_to
from code_graph.query.overrides import overriding
from code_graph.query.shapes import classes_by_shape, members_by_shape, protocol_members
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import graph_of_texts, symbol_named

CODE = """\
from typing import Protocol

class Named(Protocol):
    name: str

class Parser(Named, Protocol):
    def parse(self, path: str) -> None: ...
    def text(self) -> str: ...
    def both(self) -> str:
        return self.text()

class Lonely(Protocol):
    def nobody_has_it(self) -> None: ...

class Marker(Protocol): ...

class Whole:
    name = "whole"
    def parse(self, path: str) -> None: ...
    def text(self) -> str: ...

class Base:
    def __init__(self):
        self.name = "base"
    def parse(self, path: str) -> None: ...

class Inheriting(Base):
    def text(self) -> str: ...

class Declared(Parser):
    name = "declared"
    def parse(self, path: str) -> None: ...
    def text(self) -> str: ...

class Partly:
    name = "partly"
    def parse(self, path: str) -> None: ...

def run(parser: Parser):
    parser.parse("x")
"""


@pytest.fixture(name="graph", scope="module")
def _graph() -> GraphSnapshot:
    return graph_of_texts({"m.py": CODE, "m.ts": "class Whole { parse() {} text() {} name = 1 }"})


def names(graph: GraphSnapshot, ids: list[int]) -> set[str]:
    found = map(graph.symbol, ids)
    return {item.qualified_name for item in found if item is not None}


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        ("m.Parser", {"m.Whole", "m.Inheriting"}),
        ("m.Named", {"m.Whole", "m.Inheriting", "m.Base", "m.Partly"}),
        ("m.Lonely", set()),
        ("m.Marker", set()),
        ("m.Base", set()),
    ],
)
def test_classes_with_all_members_are_the_protocol(
    graph: GraphSnapshot, protocol: str, expected: set[str]
) -> None:
    found = classes_by_shape(graph, symbol_named(graph, protocol).id)
    assert names(graph, found) == expected


def test_an_implementation_by_shape_is_an_edge_of_dispatch(graph: GraphSnapshot) -> None:
    parser = symbol_named(graph, "m.Parser").id
    edges = derived_edges_into(graph, parser, up_to(Confidence.DISPATCH, (EdgeType.IMPLEMENTS,)))
    assert names(graph, [edge.source for edge in edges]) == {"m.Whole", "m.Inheriting"}


def test_members_stand_for_those_of_the_protocol(graph: GraphSnapshot) -> None:
    parse = symbol_named(graph, "m.Parser.parse").id
    assert names(graph, members_by_shape(graph, parse)) == {"m.Whole.parse", "m.Base.parse"}
    text = symbol_named(graph, "m.Inheriting.text").id
    assert names(graph, protocol_members(graph, text)) == {"m.Parser.text"}
    partly = symbol_named(graph, "m.Partly.parse").id
    assert protocol_members(graph, partly) == []


def test_a_call_of_a_protocol_may_run_what_has_its_shape(graph: GraphSnapshot) -> None:
    whole = symbol_named(graph, "m.Whole.parse").id
    edges = incoming_edges(graph, whole, up_to(Confidence.DISPATCH, (EdgeType.CALLS,)))
    assert names(graph, [edge.source for edge in edges]) == {"m.run"}
    parse = symbol_named(graph, "m.Parser.parse").id
    found = names(graph, overriding(graph, parse))
    assert found == {"m.Whole.parse", "m.Base.parse", "m.Declared.parse"}


def test_a_protocol_that_a_class_is_by_shape_is_extended(graph: GraphSnapshot) -> None:
    assert is_not_extended(graph, symbol_named(graph, "m.Lonely"))
    assert not is_not_extended(graph, symbol_named(graph, "m.Parser"))
