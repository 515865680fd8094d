"""`repo.build_context_bundle` as a tool: limits, answer, and the kept bundle."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.bundle import DEFAULT_MAX_TOTAL_LINES
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.keeper import LinkedGraph
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.services import services
from repo_mcp.stored import IndexProgress
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import sandbox, write

FILES: dict[str, str | bytes] = {
    "shop/cart.py": "from shop.price import total\n\ndef checkout(cart):\n    return total(cart)\n",
    "shop/price.py": "def total(cart):\n    return sum(item.price for item in cart)\n",
    "tests/test_cart.py": "from shop.cart import checkout\n\ndef test_it():\n    checkout([])\n",
    ".env": "checkout=hidden",
}
PROMPT = "checkout() returns the wrong total"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


def paths(found: dict[str, Any]) -> set[str]:
    return {item["citation"].rpartition(":")[0] for item in found["excerpts"]}


@pytest.mark.requirement("INT-11.7-bundle")
def test_a_bundle_has_files_excerpts_citations_and_how_it_came_to_be(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT, strategy="hybrid")
    *excerpts, last = found["excerpts"]
    assert {item["citation"].rpartition(":")[0] for item in excerpts} == {
        *("shop/cart.py", "shop/price.py")
    }
    assert all(item["rationale"] and item["text"] for item in excerpts)
    # a test is a place to read on
    assert (last["citation"], last["text"]) == ("tests/test_cart.py:1-3", "")
    assert all(re.fullmatch(r".+:[\d,-]+", item["citation"]) for item in found["excerpts"])
    assert (found["audit"]["complete"], found["audit"]["ties"]) == (True, "graph")
    assert "hidden" not in json.dumps(found)
    again = call.result("repo.build_context_bundle", prompt=PROMPT)
    assert (again["bundle_id"], again["excerpts"]) == (found["bundle_id"], found["excerpts"])


@pytest.mark.requirement("INT-11.7-bundle")
def test_how_a_bundle_was_made_is_told_on_request(call: Caller) -> None:
    plain = call.result("repo.build_context_bundle", prompt=PROMPT)
    found = call.result("repo.build_context_bundle", prompt=PROMPT, audit=True)
    assert plain["audit"]["details"] == []
    told = {item.split(" ")[0] for item in found["audit"]["details"]}
    assert told >= {"made", "keyword", "search", "considered", "tokens:"}
    searches = [item for item in found["audit"]["details"] if item.startswith("search ")]
    assert {item.split(" ")[1] for item in searches} >= {"prompt", "definition"}
    assert found["excerpts"] == plain["excerpts"]


def test_the_log_says_how_much_was_searched_and_left_out(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT, audit=True)
    (entry,) = call.result("repo.audit_log")["calls"]
    details = found["audit"]["details"]
    searches = sum(item.startswith("search ") for item in details)
    considered = next(item for item in details if item.startswith("considered "))
    assert {f"searches {searches}", considered} <= set(entry["counts"])
    assert f"lines {found['used']['lines']}" in entry["counts"]


def test_a_budget_of_more_lines_gets_a_larger_answer(tmp_path: Path) -> None:
    step = "".join(f"    checkout_{at} = total + {at}\n" for at in range(150))
    tree: dict[str, str | bytes] = {
        f"{name}.py": f"def checkout_{name}(total):\n{step}" for name in "abcd"
    }
    call = Caller(write(tmp_path / "root", tree), tmp_path / "data")
    limits = {"max_total_lines": 2 * DEFAULT_MAX_TOTAL_LINES}
    usual = call.result("repo.build_context_bundle", prompt=PROMPT)
    more = call("repo.build_context_bundle", prompt=PROMPT, max_chars=30_000, budget=limits)
    lines = more["result"]["used"]["lines"]
    assert usual["used"]["lines"] <= DEFAULT_MAX_TOTAL_LINES < lines <= limits["max_total_lines"]
    found = call.app.call(
        "repo.build_context_bundle", {"prompt": PROMPT, "budget": limits}, lambda: False
    )
    texts = [item["text"] for item in found["structuredContent"]["result"]["excerpts"]]
    assert texts == [item["text"] for item in more["result"]["excerpts"]]


@pytest.mark.requirement("INT-07.3-limits")
def test_the_budget_and_the_limits_hold(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data", limits={"max_bundle_files": 1})
    found = call("repo.build_context_bundle", prompt=PROMPT, budget={"max_files": 5})
    assert len(found["result"]["excerpts"]) == 1
    assert "max_files is limited to 1, 5 was requested" in found["warnings"]
    few = call.result("repo.build_context_bundle", prompt=PROMPT, budget={"max_total_lines": 2})
    assert few["used"]["lines"] <= 2


def test_tests_come_on_request(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT, include_tests=True)
    assert "tests/test_cart.py" in paths(found)


def test_what_was_shown_is_kept_and_written_down(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT)
    kept = json.loads((call.data / "last_bundle.json").read_text())
    assert kept["bundle_id"] == found["bundle_id"]
    assert "checkout" in (call.data / "last_bundle.md").read_text()
    (entry,) = call.result("repo.audit_log")["calls"]
    assert entry["shown"] == [item["citation"] for item in found["excerpts"]]
    assert entry["generation"] == kept["audit"]["generation"]


def test_a_prompt_without_a_word_is_refused(call: Caller) -> None:
    assert call.refusal("repo.build_context_bundle", prompt="?!")["code"] == "argument_invalid"


def test_a_first_index_is_waited_for(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT)
    assert found["excerpts"]


def test_while_nothing_is_indexed_it_says_what_to_do(root: Path, call: Caller) -> None:
    call.clock.step = 0.1
    with IndexManager(services(call.options).settings, sandbox(root)).text.store.lock(0):
        found = call.refusal("repo.build_context_bundle", prompt=PROMPT)
    assert found["code"] == "index_missing"
    assert "repo.search" in found["hint"]


@pytest.fixture
def half_read(call: Caller, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """An index that has not all words, until the list has one item."""
    read: list[bool] = []
    call.result("repo.refresh_index")
    progress = IndexProgress.of
    monkeypatch.setattr(
        IndexProgress,
        "of",
        lambda snapshot: progress(snapshot)._replace(complete=bool(read), deep=bool(read)),
    )
    return read


@pytest.fixture
def undeclared(call: Caller, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """An index that has all words and not all declarations, until the list has one item."""
    read: list[bool] = []
    call.result("repo.refresh_index")
    progress = IndexProgress.of
    monkeypatch.setattr(
        IndexProgress, "of", lambda snapshot: progress(snapshot)._replace(deep=bool(read))
    )
    return read


WORDS = "where is the wrong total of a cart made"


@pytest.mark.parametrize("state", ["half_read", "undeclared"])
@pytest.mark.parametrize(
    "given", [{"prompt": WORDS}, {"prompt": PROMPT, "strategy": "regions"}], ids=["words", "places"]
)
def test_a_bundle_by_words_of_an_index_that_is_not_whole_is_none(
    call: Caller,
    state: str,
    given: dict[str, str],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not request.getfixturevalue(state)
    monkeypatch.setattr(BackgroundRefresh, "wait_until_ready", lambda *_: None)
    found = call.refusal("repo.build_context_bundle", **given)
    assert found["code"] == "index_behind"
    reason = {"half_read": "the index is being built", "undeclared": "declarations of some files"}
    assert reason[state] in found["reason"]


@pytest.mark.parametrize("state", ["half_read", "undeclared"])
def test_until_it_is_whole_what_the_prompt_names_is_shown_and_the_rest_said_to_be_left_out(
    call: Caller, state: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not request.getfixturevalue(state)
    monkeypatch.setattr(BackgroundRefresh, "wait_until_ready", lambda *_: None)
    prompt = f"{WORDS}, is it in shop/price.py or in checkout()"
    found = call("repo.build_context_bundle", prompt=prompt)
    assert paths(found["result"]) == {"shop/cart.py", "shop/price.py"}
    assert found["result"]["audit"]["complete"] is False
    told = str(found["warnings"])
    assert "only what the prompt names or quotes" in told
    assert "the rest is " in told
    reasons = {item["rationale"] for item in found["result"]["excerpts"]}
    assert not [reason for reason in reasons if "matches" in reason]


def test_declarations_are_waited_for(
    call: Caller, undeclared: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def catch_up(*_: object) -> bool:
        undeclared.append(True)
        return True

    monkeypatch.setattr(BackgroundRefresh, "catch_up", catch_up)
    found = call("repo.build_context_bundle", prompt=WORDS)
    assert paths(found["result"]) >= {"shop/price.py"}
    assert found["result"]["audit"]["complete"]


def test_they_are_waited_for(
    call: Caller, half_read: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BackgroundRefresh, "wait_until_ready", lambda *_: half_read.append(True))
    assert call.result("repo.build_context_bundle", prompt=PROMPT)["excerpts"]


UNLINKED = "this bundle lacks what the symbol graph tells"


def test_the_graph_is_waited_for(call: Caller) -> None:
    found = call("repo.build_context_bundle", prompt=PROMPT)
    assert UNLINKED not in str(found["warnings"])
    again = call("repo.build_context_bundle", prompt=PROMPT)
    assert again["result"] == found["result"]


def test_a_bundle_without_the_graph_says_so(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BackgroundRefresh, "wait_until_linked", lambda *_: False)
    monkeypatch.setattr(IndexManager, "graph", lambda *_: LinkedGraph(None, current=False))
    found = call("repo.build_context_bundle", prompt=PROMPT)
    assert UNLINKED in str(found["warnings"])
    kept = json.loads((call.data / "last_bundle.json").read_text())
    assert UNLINKED in str(kept["warnings"])
    assert UNLINKED in (call.data / "last_bundle.md").read_text()
