"""The tools of the symbol graph: symbols, and the edges between them with their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.settings import Options
from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import FOREVER, write

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/base.py": (
        "from abc import ABC, abstractmethod\n\n\n"
        "class Account(ABC):\n"
        '    """A kind of account."""\n\n'
        "    @abstractmethod\n"
        "    def pay(self, amount: int) -> bool: ...\n\n"
        "    async def close(self): ...\n"
    ),
    "shop/cards.py": (
        "from shop.base import Account\n\n\n"
        "class Card(Account):\n"
        "    def pay(self, amount: int) -> bool:\n"
        "        return self._check(amount)\n\n"
        "    def _check(self, amount):\n"
        "        return len(str(amount)) < 9\n"
    ),
    "shop/till.py": (
        "from shop.base import Account\nfrom shop.cards import Card\n\n\n"
        "def sell(account: Account, price: int):\n"
        "    return account.pay(price)\n\n\n"
        "def sell_by_card(price):\n"
        "    card = Card()\n"
        "    return card.pay(price) or card.pay(0)\n\n\n"
        "def unknown(thing):\n"
        "    return thing.pay(1)\n"
    ),
    "notes.txt": "no code\n",
}


class Graph(Caller):
    """The tools of a repository whose graph is linked."""

    def linked(self) -> Graph:
        """Wait until the graph follows the files."""
        background = self.app.services.running().background
        background.refresh(FOREVER)
        assert background.wait_until_linked(FOREVER)
        return self

    def node(self, name: str) -> str:
        """The id of the symbol of a qualified name."""
        (found,) = self("lookup_symbol", qualified_name=name)["results"]
        node: str = found["node_id"]
        return node

    def rows(self, tool: str, name: str, **more: object) -> list[tuple[str, str, str, list[str]]]:
        """The edges that a tool gives: type, symbol, confidence, places."""
        found = self(tool, node_id=self.node(name), **more)["results"]
        return [
            (
                row["edge_type"],
                row["qualified_name"],
                row["confidence"],
                [f"{row['seen_in']}:{place}" for place in row["places"]],
            )
            for row in found
        ]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("graph")
    return Graph(write(folder / "root", FILES), folder / "data").linked()


@pytest.mark.requirement("CAE-search_symbols")
def test_symbols_are_found_by_words_and_by_the_beginnings_of_words(call: Graph) -> None:
    found = call("search_symbols", query="sell card")
    assert found["results"][0]["qualified_name"] == "shop.till.sell_by_card"
    begun = call("search_symbols", query="acc*")["results"]
    assert begun[0]["qualified_name"] == "shop.base.Account"
    assert all("Account" in row["qualified_name"] for row in begun)
    classes = call("search_symbols", query="card", node_type="class")["results"]
    assert [row["name"] for row in classes] == ["Card"]
    assert call("search_symbols", query="card", language="typescript")["results"] == []
    ranks = [row["rank"] for row in found["results"]]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.requirement("CAE-lookup_symbol", "CAE-get_symbol")
def test_a_symbol_has_all_its_metadata(call: Graph) -> None:
    found = call("get_symbol", node_id=call.node("shop.base.Account.pay"))
    del found["node_id"]
    assert found.pop("snapshot")["complete"] is True
    assert found == {
        "name": "pay",
        "qualified_name": "shop.base.Account.pay",
        "node_type": "method",
        "language": "python",
        "project_id": found["project_id"],
        "file_path": "shop/base.py",
        "line_start": 7,
        "line_end": 8,
        "access_modifier": "public",
        "is_public_api": True,
        "is_static": False,
        "is_abstract": True,
        "is_async": False,
        "is_override": False,
        "is_deprecated": False,
        "has_doc_comment": False,
        "parse_status": "full",
        "parameter_signature": "(self, amount: int)",
        "parameter_count": 2,
        "return_type": "bool",
        "reference_count": 3,
    }
    assert call("get_symbol", node_id=call.node("shop.cards.Card.pay"))["is_override"] is True
    assert call("get_symbol", node_id=call.node("shop.base.Account.close"))["is_async"] is True
    account = call("get_symbol", node_id=call.node("shop.base.Account"))
    assert account["documentation"] == "A kind of account."


@pytest.mark.requirement("CAE-get_callers")
def test_callers_have_places_and_confidence(call: Graph) -> None:
    assert call.rows("get_callers", "shop.cards.Card.pay") == [
        (
            "calls",
            "shop.till.sell_by_card",
            "inferred",
            ["shop/till.py:11:17", "shop/till.py:11:36"],
        ),
        ("calls", "shop.till.sell", "dispatch", ["shop/till.py:6:20"]),
        ("calls", "shop.till.unknown", "probable", ["shop/till.py:15:18"]),
    ]
    found = call("get_callers", node_id=call.node("shop.cards.Card.pay"))
    assert (found["resolved"], found["unresolved_same_name"]) == (4, 0)


@pytest.mark.requirement("CAE-get_callers")
def test_calls_that_may_reach_a_symbol_are_left_out_and_given_on_request(call: Graph) -> None:
    rows = call.rows("get_callers", "shop.cards.Card.pay", include_dispatch=False)
    assert [row[1] for row in rows] == ["shop.till.sell_by_card"]
    node = call.node("shop.cards.Card.pay")
    found = call("get_callers", node_id=node, include_dispatch=False)
    assert (found["complete_list"], found["could_add"]) == (False, ["shop/till.py:6,15"])
    possible = {"include_dispatch": False, "include_possible": True}
    rows = call.rows("get_callers", "shop.cards.Card.pay", **possible)
    assert ("calls", "shop.till.unknown", "possible", ["shop/till.py:15:18"]) in rows


@pytest.mark.requirement("CAE-get_callees")
def test_callees_are_those_inside_the_repository_unless_others_are_asked_for(call: Graph) -> None:
    rows = call.rows("get_callees", "shop.till.sell_by_card")
    assert {(row[1], row[2]) for row in rows} == {
        ("shop.cards.Card", "exact"),
        ("shop.cards.Card.pay", "inferred"),
    }
    name = "shop.cards.Card._check"
    assert call.rows("get_callees", name) == []
    outside = {row[1] for row in call.rows("get_callees", name, include_external=True)}
    assert outside == {"builtins.len", "builtins.str"}
    assert call.rows("get_callees", "shop.till.sell") == [
        ("calls", "shop.base.Account.pay", "exact", ["shop/till.py:6:20"])
    ]
    told = call("get_callees", node_id=call.node("shop.till.sell"))
    assert (told["complete_list"], len(told["doubts"])) == (False, 1)
    dispatched = call.rows("get_callees", "shop.till.sell", include_dispatch=True)
    assert [(row[1], row[2]) for row in dispatched] == [
        ("shop.base.Account.pay", "exact"),
        ("shop.cards.Card.pay", "dispatch"),
    ]


def test_a_call_of_something_outside_with_a_namesake_here_could_add_a_callee(
    tmp_path: Path,
) -> None:
    files: dict[str, str | bytes] = {
        "queues.py": "class Queue:\n    def drain(self): ...\n",
        "use.py": (
            "import outside\n\n\ndef close():\n    outside.make().drain()\n"
            "    outside.make().other()\n\n\ndef leave():\n    outside.make().other()\n"
        ),
    }
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call("get_callees", node_id="close")
    assert (found["complete_list"], found["could_add"]) == (False, ["use.py:5"])
    assert call("get_callees", node_id="leave")["complete_list"] is True


@pytest.mark.requirement("CAE-get_implementations")
def test_implementations_are_subclasses_and_overrides(call: Graph) -> None:
    assert call.rows("get_implementations", "shop.base.Account") == [
        ("inherits", "shop.cards.Card", "exact", ["shop/cards.py:4:12"])
    ]
    rows = call.rows("get_implementations", "shop.base.Account.pay")
    assert rows == [("overrides", "shop.cards.Card.pay", "exact", ["shop/cards.py:5:9"])]


@pytest.mark.requirement("CAE-get_references", "CAE-get_dependents")
def test_references_are_all_uses_and_dependents_what_contains_it_too(call: Graph) -> None:
    types = {row[0] for row in call.rows("get_references", "shop.base.Account")}
    assert types == {"imports", "inherits", "references", "accepts"}
    more = {row[0] for row in call.rows("get_dependents", "shop.base.Account")}
    assert more == types | {"contains"}
    only = call.rows("get_dependents", "shop.base.Account", edge_type="accepts")
    assert [(row[0], row[1]) for row in only] == [("accepts", "shop.till.sell")]


@pytest.mark.requirement("CAE-get_dependencies")
def test_dependencies_are_what_a_symbol_uses_and_contains(call: Graph) -> None:
    rows = call.rows("get_dependencies", "shop.cards.Card")
    assert {(row[0], row[1]) for row in rows} >= {
        ("inherits", "shop.base.Account"),
        ("contains", "shop.cards.Card.pay"),
    }
    only = call.rows("get_dependencies", "shop.cards.Card.pay", edge_type="overrides")
    assert [row[1] for row in only] == ["shop.base.Account.pay"]


@pytest.mark.requirement("CAE-get_source_spans", "CAE-get_file_outline")
def test_locations_and_the_outline_of_a_file(call: Graph) -> None:
    spans = call("get_source_spans", node_id=call.node("shop.till.sell"))["results"]
    assert spans == [
        {"file_path": "shop/till.py", "line_start": 5, "line_end": 6, "is_primary": True}
    ]
    rows = call("get_file_outline", path="shop/till.py")["results"]
    assert [(row["name"], row["line_start"]) for row in rows] == [
        ("sell", 5),
        ("sell_by_card", 9),
        ("unknown", 14),
    ]


@pytest.mark.parametrize("name", ["shop.base.Account", "shop.cards.Card.pay"])
@pytest.mark.parametrize("tool", ["get_callers", "get_references", "get_dependents"])
def test_pages_hold_all_edges_once(call: Graph, tool: str, name: str) -> None:
    node = call.node(name)
    whole = call(tool, node_id=node)["results"]
    shown: list[Any] = []
    cursor = ""
    for _ in range(50):
        page = call(tool, node_id=node, limit=1, **({"cursor": cursor} if cursor else {}))
        shown += page["results"]
        cursor = page.get("cursor", "")
        assert page["truncated"] is bool(cursor)
        if not cursor:
            break
    places = [(row["node_id"], row["edge_type"], place) for row in whole for place in row["places"]]
    paged = [(row["node_id"], row["edge_type"], place) for row in shown for place in row["places"]]
    assert sorted(paged) == sorted(places)


@pytest.mark.requirement("CAE-errors")
@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("get_symbol", {"node_id": "0123456789abcdef"}, "not_found"),
        ("get_symbol", {"node_id": "not an id"}, "not_found"),
        ("get_callers", {"node_id": ""}, "invalid_parameter"),
        ("get_callers", {"node_id": "0" * 99}, "not_found"),
        ("search_symbols", {"query": "  "}, "invalid_parameter"),
        ("search_symbols", {"query": "x", "limit": 0}, "invalid_parameter"),
        ("search_symbols", {"query": "x", "node_type": "planet"}, "invalid_parameter"),
        ("get_file_outline", {"path": "none.py"}, "not_found"),
        ("get_file_outline", {"path": "../x.py"}, "path_escape"),
        ("get_file_outline", {"path": "notes.txt"}, "not_found"),
    ],
)
def test_bad_arguments_are_refused(
    call: Graph, tool: str, arguments: dict[str, object], code: str
) -> None:
    assert call.code(tool, **arguments) == code


def test_an_edit_is_in_the_next_answers(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    call = Graph(root, tmp_path / "data").linked()
    before = call.node("shop.till.sell")
    (root / "shop" / "till.py").write_text(
        "# a comment\n\n" + str(FILES["shop/till.py"]).replace("card.pay(price) or ", "")
    )
    call.linked()
    assert call.node("shop.till.sell") == before
    assert call.rows("get_callers", "shop.cards.Card.pay") == [
        ("calls", "shop.till.sell_by_card", "inferred", ["shop/till.py:13:17"]),
        ("calls", "shop.till.sell", "dispatch", ["shop/till.py:8:20"]),
        ("calls", "shop.till.unknown", "probable", ["shop/till.py:17:18"]),
    ]


def test_a_restarted_server_answers_from_the_stored_graph(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    first = Graph(root, tmp_path / "data").linked()
    rows = first.rows("get_callers", "shop.cards.Card.pay")
    second = Graph(root, tmp_path / "data")
    assert second.rows("get_callers", "shop.cards.Card.pay") == rows


def test_nothing_is_linked_where_no_tool_needs_it(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    app = App(Options(str(root), str(tmp_path / "data"), watch=False, toolsets=("interrogator",)))
    services = app.services.running()
    services.background.refresh(FOREVER)
    assert services.tools.repository.manager.graph().snapshot is None


def test_a_receiver_is_a_reference_to_its_type(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "go.mod": "module example.com/a\n",
        "a.go": "package a\n\ntype Disk struct{}\n\nfunc (d *Disk) Fetch() {}\n",
    }
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    rows = call.rows("get_references", "a.Disk")
    assert rows == [("belongs_to", "a.Disk.Fetch", "exact", ["a.go:5:10"])]
