"""Every face lists an open call with the likeliest of several symbols, and not with the others.

Each tree has two methods of one name and one call, of which only what is written tells the method.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from repo_mcp.ask import Doubt
from tests.repo_mcp.cli.graph.graph_process import Commands
from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import Browser


class Open(NamedTuple):
    """A tree with an open call of one of two methods."""

    files: Mapping[str, str]
    meant: str
    other: str
    # the place and function of the call, and the reason
    place: str
    caller: str
    strategy: str

    @property
    def tree(self) -> dict[str, str | bytes]:
        """The files as bytes or text."""
        return {**self.files}


PYTHON = {
    "cards.py": "class Card:\n    def pay(self, sum):\n        return sum\n",
    "tills.py": "class Till:\n    def pay(self, sum):\n        return 1\n",
}
TREES = {
    "receiver, python": Open(
        {**PYTHON, "shop.py": "def sell(old_card):\n    return old_card.pay(2)\n"},
        *("Card.pay", "Till.pay", "shop.py:2", "sell", "receiver_name"),
    ),
    "receiver, javascript": Open(
        {
            "cards.js": "export class Card {\n  pay(sum) { return sum }\n}\n",
            "tills.js": "export class Till {\n  pay(sum) { return 1 }\n}\n",
            "shop.js": "export function sell(card) {\n  return card.pay(2)\n}\n",
        },
        *("Card.pay", "Till.pay", "shop.js:2", "sell", "receiver_name"),
    ),
    "receiver, ruby": Open(
        {
            "cards.rb": "class Card\n  def pay(sum)\n    sum\n  end\nend\n",
            "tills.rb": "class Till\n  def pay(sum)\n    1\n  end\nend\n",
            "shop.rb": "class Shop\n  def sell(card)\n    card.pay(2)\n  end\nend\n",
        },
        *("Card.pay", "Till.pay", "shop.rb:3", "sell", "receiver_name"),
    ),
    "receiver, php": Open(
        {
            "Card.php": "<?php\nclass Card { function pay($sum) { return $sum; } }\n",
            "Till.php": "<?php\nclass Till { function pay($sum) { return 1; } }\n",
            "Shop.php": "<?php\nclass Shop {\n  function sell($card) { $card->pay(2); }\n}\n",
        },
        *("Card.pay", "Till.pay", "Shop.php:3", "sell", "receiver_name"),
    ),
    "arguments, python": Open(
        {
            **PYTHON,
            "tills.py": "class Till:\n    def pay(self):\n        return 1\n",
            "shop.py": "def sell(thing):\n    return thing.pay(2)\n",
        },
        *("Card.pay", "Till.pay", "shop.py:2", "sell", "argument_count"),
    ),
    "imports, python": Open(
        {
            **PYTHON,
            "shop.py": "from cards import Card\n\n\ndef sell(thing):\n    return thing.pay(2)\n",
        },
        *("Card.pay", "Till.pay", "shop.py:5", "sell", "seen_in_file"),
    ),
}


@pytest.fixture(params=TREES)
def tree(request: pytest.FixtureRequest) -> Open:
    """The tree of one reason and language."""
    return TREES[request.param]


def test_the_tools_list_the_call_with_the_likeliest(tree: Open, tmp_path: Path) -> None:
    call = Graph(write(tmp_path / "root", tree.tree), tmp_path / "data").linked()
    for tool in ("get_callers", "get_references", "get_dependents"):
        answer = call(tool, node_id=tree.meant)
        places = {
            (
                *(row["name"], row["confidence"], row["strategy"]),
                f"{row['seen_in']}:{place.partition(':')[0]}",
            )
            for row in answer["results"]
            for place in row["places"]
            if row["edge_type"] == "calls"
        }
        assert places == {(tree.caller, "probable", tree.strategy, tree.place)}, tool
        assert (answer["complete_list"], answer["unresolved_same_name"]) == (True, 0), tool
    callees = call("get_callees", node_id=tree.caller, include_dispatch=True)["results"]
    assert [row["confidence"] for row in callees if row["file_path"]] == ["probable"]
    impact = call("get_impact", node_id=tree.meant)["results"]
    assert {row["name"] for row in impact} == {tree.caller}


def test_the_tools_tell_of_the_call_where_another_is_asked_for(tree: Open, tmp_path: Path) -> None:
    call = Graph(write(tmp_path / "root", tree.tree), tmp_path / "data").linked()
    for tool in ("get_callers", "get_references"):
        answer = call(tool, node_id=tree.other)
        assert not [row for row in answer["results"] if row["edge_type"] == "calls"], tool
        assert (answer["complete_list"], "could_add" in answer) == (False, False), tool
        assert answer["doubts"] == [Doubt.LIKELIER], tool
        assert answer["lines_of_name"]["likelier"] == 1, tool
        assert answer["unresolved_same_name"] == 1, tool
        (namesake,) = answer["of_namesakes"]
        assert namesake.replace("::", ".").startswith(f"{tree.meant} 2, "), tool
    assert call("get_impact", node_id=tree.other)["results"] == []


def test_the_commands_list_the_call_with_the_likeliest(
    tree: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = Commands(tmp_path, tree.tree, monkeypatch, capfd)
    for command in ("callers", "refs", "dependents", "impact"):
        facts = commands(command, tree.meant, "--json").facts
        places = {
            (row["strategy"], f"{place['file_path']}:{place['line']}")
            for row in facts["results"]
            if row["edge_type"] == "calls"
            for place in row["places"]
        }
        assert places == {(tree.strategy, tree.place)}, command
        assert facts["complete_list"] is True, command
        other = commands(command, tree.other, "--json").facts
        assert (other["complete_list"], other["doubts"]) == (False, [Doubt.LIKELIER]), command
    used = commands("symbol", tree.meant, "--json").facts
    told = [(f"{row['path']}:{row['line']}", row["confidence"]) for row in used["callers"]]
    assert [place for place, _ in told] == [tree.place]
    assert told[0][1].startswith("probable by ")


def test_the_pages_list_the_call_with_the_likeliest(tree: Open, tmp_path: Path) -> None:
    browser = Browser(tmp_path, tree.tree)
    page = browser.get(f"/symbol?name={tree.meant}").text
    assert tree.place in page
    assert "probable by" in page
    other = browser.get(f"/symbol?name={tree.other}").text
    assert f">{tree.place}<" not in other


def test_what_cannot_be_told_apart_is_open_for_each(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **PYTHON,
        "shop.py": "def sell(thing):\n    return thing.pay(2)\n",
    }
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    for name in ("Card.pay", "Till.pay"):
        answer = call("get_callers", node_id=name)
        assert answer["results"] == []
        assert (answer["could_add"], answer["unresolved_same_name"]) == (["shop.py:2"], 1)
