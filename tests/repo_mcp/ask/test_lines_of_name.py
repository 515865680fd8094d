"""The lines with a symbol's name are counted by meaning, and no line is lost or counted twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.ask.test_faces_of_uses import TREES
from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.tree_files import write

# `pay` as a method, a namesake, an import, a local variable, a key, a mock, and in texts
SHOP: dict[str, str | bytes] = {
    "cards.py": "class Card:\n    def pay(self, sum):\n        return self.pay(sum - 1)\n",
    "till.py": (
        "from cards import Card\n\n\nclass Till:\n    def pay(self):\n        return 1\n\n\n"
        "def sell(card: Card, till: Till):\n    pay = till.pay()\n"
        "    return card.pay(pay)  # pay at once\n\n\ndef guess(thing):\n    return thing.pay(2)\n"
    ),
    "outside.py": "import json\n\n\ndef parse(text):\n    return json.loads(text).pay()\n",
    "test_till.py": (
        "from unittest.mock import patch\n\n\ndef test_sell():\n"
        '    with patch("cards.Card.pay"):\n        print("never pay twice")\n'
    ),
    "README.md": "Cards pay.\n\nThey pay always.\n",
}


def lines_with(files: Mapping[str, str | bytes], word: str) -> int:
    texts = (text.decode() if isinstance(text, bytes) else text for text in files.values())
    wanted = re.compile(rf"(?<!\w){word}(?!\w)")
    return sum(1 for text in texts for line in text.split("\n") if wanted.search(line))


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("names")
    return Graph(write(folder / "root", SHOP), folder / "data").linked()


def test_each_line_has_the_meaning_that_it_is_read_with(call: Graph) -> None:
    answer = call("get_references", node_id="Card.pay")
    assert answer["lines_of_name"] == {
        "use": 2,
        "own": 1,
        "open": 2,
        "namesake": 2,
        "replaced": 1,
        "comment": 1,
        "document": 2,
    }
    assert answer["of_namesakes"] == ["Till.pay 2, till.py:5"]


@pytest.mark.parametrize("name", ["Card.pay", "Till.pay", "Card", "sell", "Till"])
def test_the_numbers_add_up_to_a_search_for_the_word(call: Graph, name: str) -> None:
    counts: dict[str, Any] = call("get_references", node_id=name)["lines_of_name"]
    assert sum(counts.values()) == lines_with(SHOP, name.rpartition(".")[2])
    assert all(counts.values())


@pytest.mark.parametrize("language", TREES)
def test_a_call_by_dispatch_is_a_use(language: str, tmp_path: Path) -> None:
    tree = TREES[language]
    call = Graph(write(tmp_path / "root", tree.tree), tmp_path / "data").linked()
    counts = call("get_callers", node_id=tree.name)["lines_of_name"]
    word = tree.name.rpartition(".")[2]
    assert counts["use"] == 1
    assert sum(counts.values()) == lines_with(tree.tree, word)


def test_members_that_are_defined_outside_of_their_types_are_namesakes(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "shop.h": "struct Card { int pay(int sum); };\nstruct Till { int pay(int sum); };\n",
        "shop.cpp": (
            '#include "shop.h"\n\nint Card::pay(int sum) { return sum; }\n\n'
            "int Till::pay(int sum) { return -sum; }\n"
        ),
        "main.cpp": '#include "shop.h"\n\nint run(Card& card) { return card.pay(1); }\n',
    }
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    answer = call("get_callers", node_id="Card::pay")
    assert answer["lines_of_name"] == {"use": 1, "own": 1, "namesake": 3}
    assert answer["complete_list"]


# a bare `pay` in files that can call no method of Python's, and lines that name one in them
FOREIGN: dict[str, str | bytes] = {
    "cards.py": "class Card:\n    def pay(self, sum):\n        return sum\n",
    "web/till.ts": "export function sell(till: any) {\n  return till.pay(1)\n}\n",
    "locale/de.xlf": "<source>You can pay at once.</source>\n",
    "bin/run.sh": "#!/bin/sh\npay --now\n",
    "conf/jobs.yaml": "jobs:\n  pay: daily\n",
    "page.html": "<p>{{ card.pay }}</p>\n",
    "conf/hooks.yaml": 'hook: cards.Card.pay\nother: card.pay\nname: "pay"\n',
}


def test_files_that_call_no_method_have_no_open_use_of_a_bare_name(tmp_path: Path) -> None:
    call = Graph(write(tmp_path / "root", FOREIGN), tmp_path / "data").linked()
    answer = call("get_references", node_id="Card.pay")
    # a template, and the lines of data that name the member as one
    assert answer["could_add"] == ["conf/hooks.yaml:1,2,3", "page.html:1"]
    assert sum(answer["lines_of_name"].values()) == lines_with(FOREIGN, "pay")
