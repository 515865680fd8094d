"""A call of an unknown object by a name that hardly means another function leads to it."""

from __future__ import annotations

import pytest

from code_graph.model import Confidence, EdgeType
from code_graph.query.neighbours import incoming_edges, outgoing_edges, source_ids, up_to
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import graph_of_texts, symbol_named

DISPATCH = up_to(Confidence.DISPATCH, (EdgeType.CALLS,))
POSSIBLE = up_to(Confidence.POSSIBLE, (EdgeType.CALLS,))

PLANTS = """\
import requests


class Tree:
    def prune(self): ...

    def water(self): ...

    def grow(self): ...

    def post(self): ...


class Grass:
    def water(self): ...

    def grow(self): ...


class Moss:
    def grow(self): ...


def use(one):
    one.prune()
    one.water()
    one.grow()
    one.post()


def ask():
    requests.post()
"""


@pytest.fixture(name="graph", scope="module")
def _graph() -> GraphSnapshot:
    return graph_of_texts({"plants.py": PLANTS})


@pytest.mark.parametrize(
    ("method", "is_told"),
    [
        ("Tree.prune", True),  # the only function of its name
        ("Tree.water", True),  # one of two methods
        ("Tree.grow", False),  # one of three
        ("Tree.post", False),  # something from outside has the name
    ],
)
def test_a_name_of_few_functions_that_nothing_outside_has_tells_of_them(
    graph: GraphSnapshot, method: str, *, is_told: bool
) -> None:
    target, use = symbol_named(graph, f"plants.{method}"), symbol_named(graph, "plants.use")
    callers = [edge.source for edge in incoming_edges(graph, target.id, DISPATCH)]
    assert callers == [use.id] * is_told
    assert source_ids(graph, target.id, DISPATCH) == callers
    callees = [edge.target for edge in outgoing_edges(graph, use.id, DISPATCH)]
    assert (target.id in callees) == is_told


def test_a_call_that_a_name_tells_of_is_listed_once(graph: GraphSnapshot) -> None:
    target, use = symbol_named(graph, "plants.Tree.prune"), symbol_named(graph, "plants.use")
    incoming = [*incoming_edges(graph, target.id, POSSIBLE)]
    outgoing = [e for e in outgoing_edges(graph, use.id, POSSIBLE) if e.target == target.id]
    assert [edge.confidence for edge in incoming] == [Confidence.DISPATCH]
    assert [edge.confidence for edge in outgoing] == [Confidence.DISPATCH]


def test_languages_with_types_are_told_nothing_by_a_name() -> None:
    text = "class Tree { void prune() {} }\nclass Use { void use(Object one) { one.prune(); } }\n"
    graph = graph_of_texts({"Tree.java": text})
    target = symbol_named(graph, "Tree.prune")
    assert [*incoming_edges(graph, target.id, DISPATCH)] == []
