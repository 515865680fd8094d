"""A class stands for its constructors where calls are asked for."""

from __future__ import annotations

import pytest

from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.trees import write

SOURCE = """\
class Lid { Lid() { } }
class Box {
  final Lid lid;
  Box() { this(1); }
  Box(int size) { lid = new Lid(); check(size); }
  void check(int size) { }
  static Box make() { return new Box(); }
}
"""


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("graph")
    return Graph(write(folder / "root", {"Box.java": SOURCE}), folder / "data").linked()


def test_the_callees_of_a_class_are_those_of_its_constructors(call: Graph) -> None:
    found = [name for _, name, _, _ in call.rows("get_callees", "Box")]
    assert sorted(found) == ["Box.check", "Lid", "Lid.Lid"]


def test_the_callers_of_a_class_make_its_objects(call: Graph) -> None:
    assert [name for _, name, _, _ in call.rows("get_callers", "Box")] == ["Box.make"]


def test_the_name_of_a_class_is_not_ambiguous(call: Graph) -> None:
    found = call("get_callers", node_id="Box")
    assert [row["qualified_name"] for row in found["results"]] == ["Box.make"]
