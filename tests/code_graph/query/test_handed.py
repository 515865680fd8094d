"""Calls of parameters and fields lead to the functions that are handed to them, in any file."""

from __future__ import annotations

import pytest

from code_graph.model import Confidence, EdgeType
from code_graph.query.neighbours import incoming_edges, outgoing_edges, up_to
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import graph_of_texts

CALLS = up_to(Confidence.DISPATCH, (EdgeType.CALLS,))

MANAGER = """\
class Manager:
    def __init__(self):
        self.loader = None

    def user_loader(self, callback):
        self.loader = callback
        return callback

    def load(self, number):
        return self.loader(number)


def twice(work):
    def inner():
        work()
        work()
    return inner


def ignore(work):
    return None
"""

USES = """\
from lib import Manager, ignore, twice

manager = Manager()

@manager.user_loader
def user(number): ...

def step(): ...

def other(): ...

def run():
    twice(
        step,
    )()
    ignore(other)
"""


@pytest.fixture(name="graph", scope="module")
def _graph() -> GraphSnapshot:
    return graph_of_texts({"lib.py": MANAGER, "app.py": USES})


def id_of(graph: GraphSnapshot, name: str) -> int:
    paths = ("lib.py", "app.py")
    rows = (symbol for path in paths for symbol, _ in graph.outline(path))
    return next(symbol.id for symbol in rows if symbol.qualified_name == name)


def callers(graph: GraphSnapshot, name: str) -> set[tuple[str, int, Confidence]]:
    return {
        (symbol.qualified_name, edge.line, edge.confidence)
        for edge in incoming_edges(graph, id_of(graph, name), CALLS)
        if edge.confidence == Confidence.DISPATCH and edge.path == "lib.py"
        if (symbol := graph.symbol(edge.source)) is not None
    }


def test_a_call_of_a_field_may_be_of_what_a_decorator_stores_in_it(graph: GraphSnapshot) -> None:
    assert callers(graph, "app.user") == {("lib.Manager.load", 10, Confidence.DISPATCH)}


def test_a_call_of_a_parameter_may_be_of_an_argument(graph: GraphSnapshot) -> None:
    assert callers(graph, "app.step") == {
        ("lib.twice.inner", 15, Confidence.DISPATCH),
        ("lib.twice.inner", 16, Confidence.DISPATCH),
    }


def test_what_is_handed_to_a_function_that_calls_nothing_has_no_caller(
    graph: GraphSnapshot,
) -> None:
    assert callers(graph, "app.other") == set()


@pytest.mark.parametrize(
    ("caller", "expected"),
    [("lib.Manager.load", {"app.user"}), ("lib.twice.inner", {"app.step"}), ("lib.ignore", set())],
)
def test_callees_are_the_other_side(graph: GraphSnapshot, caller: str, expected: set[str]) -> None:
    found = outgoing_edges(graph, id_of(graph, caller), CALLS)
    targets = (graph.symbol(edge.target) for edge in found if not edge.external)
    assert {item.qualified_name for item in targets if item is not None} == expected
