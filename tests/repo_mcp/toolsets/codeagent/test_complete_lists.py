"""Lists of edges say whether they are complete, or which lines could add to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery
from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    "shop/cards.py": (
        "class Card:\n"
        "    def pay(self):\n"
        "        return check(1)\n"
        "\n\n"
        "class Gift(Card):\n"
        "    def refund(self):\n"
        "        return 0\n"
        "\n\n"
        "def check(amount):\n"
        "    return amount\n"
        "\n\n"
        "def never():\n"
        '    """A comment on check is no use."""\n'
    ),
    "shop/till.py": (
        "from shop.bills import Bill\nfrom shop.cards import Card\n\n"
        "def sell(thing):\n"
        "    thing.pay()\n"
        "    return Card().refresh(thing.other)\n"
    ),
    # another thing that is paid
    "shop/bills.py": "class Bill:\n    def pay(self):\n        return 0\n",
    "web/box.ts": "export class Box { size() { return 1 } }\n",
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("graph")
    return Graph(write(folder / "root", FILES), folder / "data").linked()


def ask(call: Graph, tool: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = call(tool, node_id=name)
    return found


@pytest.mark.parametrize(
    ("tool", "name", "rows"),
    [
        ("get_callers", "check", 1),
        ("get_references", "check", 1),
        ("get_callers", "never", 0),
        ("get_dependents", "never", 1),
        ("get_implementations", "Card", 1),
        ("get_implementations", "Gift", 0),
        ("get_callees", "check", 0),
    ],
)
def test_a_list_is_complete_where_each_line_is_understood(
    call: Graph, tool: str, name: str, rows: int
) -> None:
    found = ask(call, tool, name)
    assert found["complete_list"]
    assert len(found["results"]) == rows
    assert "could_add" not in found


@pytest.mark.parametrize(
    ("tool", "name", "lines"),
    [
        ("get_callers", "Card.pay", ["shop/till.py:5"]),
        ("get_impact", "Card.pay", ["shop/till.py:5"]),
        # what reaches it over a method that may have more callers
        ("get_impact", "check", ["shop/till.py:5"]),
        ("get_callees", "sell", ["shop/till.py:5,6"]),
    ],
)
def test_lines_that_could_add_to_a_list_are_named(
    call: Graph, tool: str, name: str, lines: Sequence[str]
) -> None:
    found = ask(call, tool, name)
    assert not found.get("complete_list")
    assert found["could_add"] == lines


def test_a_type_that_others_may_be_by_shape_has_no_complete_list(call: Graph) -> None:
    found = ask(call, "get_implementations", "Box")
    assert not found.get("complete_list")
    assert found["doubts"] == ["a type of this language may have the members and not name it"]
    assert ask(call, "get_references", "Box")["complete_list"]


def complete(tmp_path: Path, name: str, files: dict[str, str | bytes]) -> bool:
    """True if the list of uses of a symbol is said to be complete."""
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    return bool(ask(call, "get_references", name).get("complete_list"))


def test_a_name_that_another_file_does_not_import_means_its_own(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.ts": "export function size(): number { return 1 }\n",
        "b.ts": "const size = 1\nexport const made = { size: 2, other: 'size', name: size }\n",
        "c.ts": "import { size } from './a'\nexport const x = size()\n",
    }
    assert complete(tmp_path, "a.ts:size", files)


@pytest.mark.parametrize(
    ("text", "is_complete"),
    [
        ("export function go() {\n  function run() { return 2 }\n  return run()\n}\n", True),
        # what is assigned may be seen elsewhere
        ("export function go() {\n  run = () => 2\n  return run()\n}\n", False),
    ],
)
def test_a_function_in_a_function_is_seen_there_alone(
    tmp_path: Path, text: str, *, is_complete: bool
) -> None:
    files: dict[str, str | bytes] = {
        "a.ts": text,
        "b.js": "function f(box) { box.run() }\n",
    }
    assert complete(tmp_path, "a.ts:2", files) is is_complete


def test_what_data_names_as_a_part_a_key_or_in_prose_is_no_use(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "class Box:\n    def target(self): ...\n",
        "package-lock.json": '{"node_modules/target": {"name": "target"}}\n',
        "app.yaml": "target: 1\nabout: go to target now  # target\nuses: the-target\n",
        "CHANGELOG": "target\n",
    }
    assert complete(tmp_path, "Box.target", files)
    write(tmp_path / "root", {"app.yaml": "handler: box.target\n"})
    assert not complete(tmp_path, "Box.target", {})


@pytest.mark.parametrize(
    ("head", "is_complete"),
    [("class Box:", True), ("class Box(ValueError):", True), ("class Box(UserList):", False)],
)
def test_a_call_on_a_list_means_no_method_of_a_class_without_such_a_base(
    tmp_path: Path, head: str, *, is_complete: bool
) -> None:
    files: dict[str, str | bytes] = {
        "a.py": f"from collections import UserList\n\n{head}\n    def append(self, x): ...\n",
        "b.py": "import os\n\nfound = []\nfound.append(1)\nos.append(2)\n",
    }
    assert complete(tmp_path, "Box.append", files) is is_complete


def test_two_names_of_different_scopes_are_no_twins(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.ts": (
            "export function one() {\n"
            "  interface Props { x: number }\n"
            "  const p: Props = { x: 1 }\n"
            "  return p\n"
            "}\n"
        ),
        "b.ts": "export interface Props { y: number }\nexport const q: Props = { y: 1 }\n",
    }
    assert complete(tmp_path, "b.ts:Props", files)


def test_overloads_of_other_numbers_of_parameters_are_told_apart(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Box.java": (
            "class Box {\n"
            "    void add(int a) {}\n"
            "    void add(int a, int b) {}\n"
            "    void put(int a) {}\n"
            "    void put(long a) {}\n"
            "    void use() { add(1); int add = 2; put(1); }\n"
            "}\n"
        ),
    }
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    assert ask(call, "get_references", "Box.java:2")["complete_list"]
    assert ask(call, "get_references", "Box.java:4")["doubts"] == [
        "several symbols have this qualified name"
    ]


def test_a_new_use_is_in_a_list_that_is_complete_again(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    call = Graph(root, tmp_path / "data").linked()
    assert ask(call, "get_callers", "never")["complete_list"]
    write(root, {"shop/more.py": "from shop.cards import never\n\nnever()\n"})
    call.linked()
    found = ask(call, "get_callers", "never")
    assert [row["seen_in"] for row in found["results"]] == ["shop/more.py"]
    assert found["complete_list"]


def test_lines_are_looked_for_once_and_again_where_their_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[object] = []
    find = ExactEngine.find

    def count(
        engine: ExactEngine, snapshot: Snapshot, query: ExactQuery, budget: Budget
    ) -> ExactAnswer:
        searched.append(query)
        return find(engine, snapshot, query, budget)

    monkeypatch.setattr(ExactEngine, "find", count)
    root = write(tmp_path / "root", FILES)
    call = Graph(root, tmp_path / "data").linked()
    for _ in range(3):
        assert ask(call, "get_callers", "Card.pay")["could_add"] == ["shop/till.py:5"]
    assert len(searched) == 1
    write(root, {"shop/till.py": f"\n\n{FILES['shop/till.py']!s}"})
    found = ask(call, "get_callers", "Card.pay")
    assert found["could_add"] == ["shop/till.py:7"]
    assert len(searched) > 1


def test_a_list_that_is_cut_is_not_complete(tmp_path: Path) -> None:
    text = "def target(): ...\n\n\ndef one():\n    target()\n\n\ndef two():\n    target()\n"
    call = Graph(write(tmp_path / "root", {"a.py": text}), tmp_path / "data").linked()
    first = call("get_callers", node_id="target", limit=1)
    assert (first["truncated"], first["complete_list"]) == (True, False)
    last = call("get_callers", node_id="target", limit=1, cursor=first["cursor"])
    assert (last["truncated"], last["complete_list"]) == (False, True)
