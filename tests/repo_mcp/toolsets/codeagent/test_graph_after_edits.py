"""Answers from the graph right after files were edited, removed or added."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.toolsets.codeagent.test_graph_tools import FILES, Graph
from tests.repo_mcp.trees import write
from tests.waiting import until

TILL = str(FILES["shop/till.py"])


@pytest.fixture(params=[False, True], ids=["walks", "watcher"])
def call(tmp_path: Path, request: pytest.FixtureRequest) -> Graph:
    made = Graph(write(tmp_path / "root", FILES), tmp_path / "data", watch=request.param).linked()
    if request.param:
        assert until(lambda: made.app.services.running().background.watching)
        made.linked()
    return made


def root_of(call: Graph) -> Path:
    return call.data.parent / "root"


def callers(call: Graph, name: str, **more: object) -> tuple[list[str], dict[str, Any]]:
    """The places of a symbol's callers, and the whole answer."""
    answer = call("get_callers", node_id=call.node(name), **more)
    rows = answer["results"]
    return [f"{row['seen_in']}:{place}" for row in rows for place in row["places"]], answer


def test_moved_lines_are_the_new_ones_at_once(call: Graph) -> None:
    write(root_of(call), {"shop/till.py": f"\n\n\n{TILL}"})
    places, answer = callers(call, "shop.cards.Card.pay")
    assert places == [
        "shop/till.py:14:17",
        "shop/till.py:14:36",
        "shop/till.py:9:20",
        "shop/till.py:18:18",
    ]
    assert answer["snapshot"]["complete"] is True
    assert "warnings" not in answer


def test_a_removed_file_has_no_symbols_and_calls_nothing(call: Graph) -> None:
    node = call.node("shop.till.sell")
    (root_of(call) / "shop" / "till.py").unlink()
    places, answer = callers(call, "shop.cards.Card.pay")
    assert places == []
    assert answer["snapshot"]["complete"] is True
    assert call.code("get_symbol", node_id=node) == "not_found"
    assert call("lookup_symbol", qualified_name="shop.till.sell")["results"] == []


def test_what_a_new_file_calls_is_there_at_once(call: Graph) -> None:
    write(root_of(call), {"shop/new.py": "from shop.cards import Card\n\nCard().pay(3)\n"})
    places, answer = callers(call, "shop.cards.Card.pay")
    assert "shop/new.py:3:8" in places
    assert answer["snapshot"]["complete"] is True


def test_a_symbol_that_an_edit_adds_is_found_at_once(call: Graph) -> None:
    write(root_of(call), {"shop/till.py": f"{TILL}\n\ndef refund(): ...\n"})
    (found,) = call("lookup_symbol", qualified_name="shop.till.refund")["results"]
    assert found["line_start"] == 18


@contextmanager
def another_process_writes(call: Graph) -> Iterator[None]:
    """Nothing can be indexed meanwhile, and the time of each call runs out."""
    clock = call.app.clock
    assert isinstance(clock, Clock)
    with call.app.services.repository().manager.recipe.store().lock(0):
        clock.step = 0.1
        yield
        clock.step = 0.0


def test_what_could_not_be_linked_again_is_marked(call: Graph) -> None:
    node, till = call.node("shop.cards.Card.pay"), call.node("shop.till.sell_by_card")
    with another_process_writes(call):
        write(root_of(call), {"shop/till.py": f"\n\n\n{TILL}"})
        answer = call("get_callers", node_id=node)
        assert [row["stale"] for row in answer["results"]] == [True, True, True]
        assert answer["snapshot"]["complete"] is False
        assert any("changed since: shop/till.py" in text for text in answer["warnings"])
        for tool, more in (
            ("get_symbol", {"node_id": till}),
            ("get_source_spans", {"node_id": till}),
            ("get_callees", {"node_id": till}),
            ("get_file_outline", {"path": "shop/till.py"}),
            ("lookup_symbol", {"qualified_name": "shop.till.sell"}),
            ("search_symbols", {"query": "sell"}),
        ):
            found = call(tool, **more)
            assert all(row["stale"] for row in found.get("results", [])), tool
            assert found["snapshot"]["complete"] is False
            assert any("shop/till.py" in text for text in found["warnings"]), tool
    (places, answer) = callers(call, "shop.cards.Card.pay")
    assert places == [
        "shop/till.py:14:17",
        "shop/till.py:14:36",
        "shop/till.py:9:20",
        "shop/till.py:18:18",
    ]
    assert answer["snapshot"]["complete"] is True


def test_symbols_of_a_removed_file_are_left_out_though_they_are_linked(call: Graph) -> None:
    node, till = call.node("shop.cards.Card.pay"), call.node("shop.till.sell_by_card")
    with another_process_writes(call):
        (root_of(call) / "shop" / "till.py").unlink()
        answer = call("get_callers", node_id=node)
        assert answer["results"] == []
        assert answer["snapshot"]["complete"] is False
        assert any("removed since: shop/till.py" in text for text in answer["warnings"])
        assert call("search_symbols", query="sell")["results"] == []
        assert call.code("get_symbol", node_id=till) == "not_found"
        logged = (call.data / "audit").rglob("*")
        assert not any("till.py" in path.read_text() for path in logged if path.is_file())
