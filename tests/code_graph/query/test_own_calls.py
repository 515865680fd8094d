"""Calls on `self` and `super` run those overrides that an object of the class may have."""

from __future__ import annotations

import pytest

from code_graph.model import Confidence, EdgeType
from code_graph.query.neighbours import incoming_edges, outgoing_edges, source_ids, up_to
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import graph_of_texts, symbol_named

CALLS = up_to(Confidence.DISPATCH, (EdgeType.CALLS,))

PYTHON = """\
class Base:
    def run(self):
        self.step()

    def step(self): ...


class First(Base):
    def step(self):
        super().step()


class Second(Base):
    def step(self):
        super().step()

    def again(self):
        super().step()


class Plain(Base):
    def walk(self):
        self.step()


class Both(First, Second):
    pass


def drive(base: Base):
    base.step()


class Third(Base):
    def step(self): ...

    def hand(self, other: Base):
        other.step()
"""

TYPESCRIPT = """\
export class Base { step() {} run() { this.step(); } }
export class First extends Base { step() { super.step(); } }
export class Second extends Base { step() { super.step(); } }
export function drive(base: Base) { base.step(); }
"""

JAVA = """\
class Base { void step() {} void run() { step(); } }
class First extends Base { void step() { super.step(); } }
class Second extends Base { void step() { super.step(); } }
class Driver { void drive(Base base) { base.step(); } }
"""


@pytest.fixture(name="graph", scope="module")
def _graph() -> GraphSnapshot:
    return graph_of_texts({"m.py": PYTHON})


def callers(graph: GraphSnapshot, name: str) -> set[str]:
    """The callers of a method by dispatch, by name, which both ways of asking have."""
    target = symbol_named(graph, name)
    edges = [*incoming_edges(graph, target.id, CALLS)]
    assert {edge.source for edge in edges} == {*source_ids(graph, target.id, CALLS)}
    found = (graph.symbol(e.source) for e in edges if e.confidence == Confidence.DISPATCH)
    return {item.qualified_name.removeprefix("m.") for item in found if item is not None}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # `super` in one leads to the one behind it in `Both`, not the other way
        ("m.Second.step", {"Base.run", "drive", "First.step", "Third.hand"}),
        ("m.First.step", {"Base.run", "drive", "Third.hand"}),
        ("m.Third.step", {"Base.run", "drive", "Third.hand"}),
    ],
)
def test_overrides_are_run_by_objects_that_may_have_them(
    graph: GraphSnapshot, name: str, expected: set[str]
) -> None:
    assert callers(graph, name) == expected


def test_callees_are_the_other_side(graph: GraphSnapshot) -> None:
    def callees(name: str) -> set[str]:
        edges = outgoing_edges(graph, symbol_named(graph, name).id, CALLS)
        found = (graph.symbol(edge.target) for edge in edges)
        return {item.qualified_name.removeprefix("m.") for item in found if item is not None}

    assert callees("m.Plain.walk") == {"Base.step"}
    assert callees("m.First.step") == {"Base.step", "Second.step"}
    assert callees("m.Second.again") == {"Base.step"}
    overrides = {"First.step", "Second.step", "Third.step"}
    assert callees("m.Base.run") == {"Base.step", *overrides}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("m.ts", TYPESCRIPT, {"Base.run", "drive"}),
        ("m.java", JAVA, {"Base.run", "Driver.drive"}),
    ],
)
def test_languages_with_one_base_have_no_siblings(path: str, text: str, expected: set[str]) -> None:
    assert callers(graph_of_texts({path: text}), "First.step") == expected


SHAPES = """\
class Shape:
    def __init__(self): ...

    def draw(self): ...


class Round(Shape):
    def __init__(self):
        super().__init__()


def make():
    return Shape()


def make_of(kind: type[Shape]):
    return kind()
"""

SHAPE_TESTS = """\
from shapes import Shape


def show(shape: Shape):
    shape.draw()


def test_one():
    class Own(Shape):
        def draw(self): ...

    show(Own())
    Own().draw()


def test_other():
    Shape().draw()
"""


def test_a_class_that_is_named_runs_its_own_constructor_alone() -> None:
    graph = graph_of_texts({"shapes.py": SHAPES})

    def dispatched(name: str) -> set[str]:
        edges = outgoing_edges(graph, symbol_named(graph, name).id, CALLS)
        found = (graph.symbol(e.target) for e in edges if e.confidence == Confidence.DISPATCH)
        return {item.qualified_name for item in found if item is not None}

    assert dispatched("shapes.make") == set()
    assert dispatched("shapes.make_of") == {"shapes.Round.__init__"}


def test_a_test_does_not_see_the_classes_of_another_one() -> None:
    graph = graph_of_texts({"shapes.py": SHAPES, "tests/test_shapes.py": SHAPE_TESTS})
    target = next(s for s, _ in graph.outline("tests/test_shapes.py") if s.name == "draw")
    edges = incoming_edges(graph, target.id, CALLS)
    names = {item.name for e in edges if (item := graph.symbol(e.source)) is not None}
    assert names == {"show", "test_one"}
