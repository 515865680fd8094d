"""Names, dotted names and places stand wherever the graph tools take an id."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.toolsets.codeagent.declarations import TOOLS
from tests.repo_mcp.toolsets.codeagent.test_graph_tools import FILES, Graph
from tests.repo_mcp.trees import write

MORE: dict[str, str | bytes] = {
    **FILES,
    "tests/test_shop.py": (
        "from shop.till import sell_by_card\n\n\ndef test_sale():\n    assert sell_by_card(1)\n"
    ),
    "other/cards.py": "def pay():\n    return 0\n",
}
TAKING_A_NODE = sorted(
    tool.name for tool in TOOLS if tool.arguments[:1] and tool.arguments[0].name == "node_id"
)


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("names")
    return Graph(write(folder / "root", MORE), folder / "data").linked()


@pytest.mark.parametrize("tool", TAKING_A_NODE)
@pytest.mark.parametrize("name", ["shop.cards.Card.pay", "Card.pay", "shop/cards.py:6"])
def test_a_name_or_a_place_gives_what_the_id_gives(call: Graph, tool: str, name: str) -> None:
    assert call(tool, node_id=name) == call(tool, node_id=call.node("shop.cards.Card.pay"))


def test_an_ambiguous_name_is_answered_and_the_others_are_named(call: Graph) -> None:
    found = call("get_callers", node_id="pay")
    assert found["relation"].startswith("callers of shop.base.Account.pay (method, ")
    (warning,) = found["warnings"]
    assert warning.startswith("pay was taken for shop.base.Account.pay (shop/base.py:7); others")
    assert "shop.cards.Card.pay (shop/cards.py:5)" in warning
    assert "other.cards.pay (other/cards.py:1)" in warning


def test_a_name_of_nothing_is_an_error_with_names_like_it(call: Graph) -> None:
    error = call.error("get_callers", node_id="sell_by")
    assert error["code"] == "not_found"
    assert "near it: shop.till.sell_by_card" in error["message"]


def test_callers_are_places_in_symbols_below_their_file(call: Graph) -> None:
    text = call.answer("get_callers", node_id="Card.pay")["content"][0]["text"]
    assert text.splitlines()[:3] == [
        "callers of shop.cards.Card.pay (method, shop/cards.py:5-6)",
        "shop/till.py",
        " 11:17, 11:36 in sell_by_card [inferred]",
    ]
    text = call.answer("get_callees", node_id="sell_by_card")["content"][0]["text"]
    assert " 10:12 Card (shop/cards.py:4)" in text.splitlines()


def test_a_caller_costs_fewer_than_fifty_bytes(tmp_path: Path) -> None:
    callers = "".join(f"def caller_{n}():\n    return target()\n\n\n" for n in range(40))
    files: dict[str, str | bytes] = {"m.py": f"def target():\n    pass\n\n\n{callers}"}
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    text = call.answer("get_callers", node_id="target")["content"][0]["text"]
    rows = [line for line in text.splitlines() if " in caller_" in line]
    assert len(rows) == 40
    assert len(text) < 40 * 50


def test_the_impact_of_a_change_has_code_and_tests_apart(call: Graph) -> None:
    found = call("get_impact", node_id="Card._check")
    assert [row["qualified_name"] for row in found["results"]] == [
        "shop.cards.Card.pay",
        "shop.till.sell",
        "shop.till.unknown",
        "shop.till.sell_by_card",
    ]
    assert [row.get("distance", 1) for row in found["results"]] == [1, 2, 2, 2]
    assert found["results"][1]["via"] == "pay"
    (test,) = (row for row in found["tests"] if row["node_type"] == "function")
    assert (test["qualified_name"], test["distance"]) == ("tests.test_shop.test_sale", 3)
    assert found["affected"] == len(found["results"]) + len(found["tests"])
    one = call("get_impact", node_id="Card._check", depth=1)
    assert [row["qualified_name"] for row in one["results"]] == ["shop.cards.Card.pay"]


def test_a_path_has_a_place_for_each_step_and_is_found_from_both_ends(call: Graph) -> None:
    found = call("get_path", source="test_sale", target="Card._check")
    assert [(step["source"], step["target"], step["line"]) for step in found["results"]] == [
        ("tests.test_shop.test_sale", "shop.till.sell_by_card", 5),
        ("shop.till.sell_by_card", "shop.cards.Card.pay", 11),
        ("shop.cards.Card.pay", "shop.cards.Card._check", 6),
    ]
    near = call("get_path", source="test_sale", target="Card._check", depth=2)
    assert (near["results"], near["truncated"]) == ([], True)
    far = call("get_path", source="test_sale", target="Card._check", depth=99)
    assert far["results"] == found["results"]
    assert "depth" in far["warnings"][0]
    back = call("get_path", source="Card._check", target="test_sale")
    assert back["is_reversed"]
    assert back["results"] == found["results"]
    assert call("get_path", source="other.cards.pay", target="test_sale")["results"] == []


def test_an_exact_name_gives_only_the_symbols_that_have_it(call: Graph) -> None:
    found = call("search_symbols", query="pay")
    assert {row["name"] for row in found["results"]} == {"pay"}
    assert found["results"][0]["qualified_name"] == "shop.base.Account.pay"
    assert found["warnings"] == [
        "only symbols of exactly this name are listed: pay* finds longer ones, too"
    ]
    more = call("search_symbols", query="sell*")["results"]
    assert {row["name"] for row in more} >= {"sell", "sell_by_card"}
