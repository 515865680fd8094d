"""`repo.build_context_bundle` as a tool: limits, answer, and the kept bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp.app import services
from repo_mcp.indexing.fresh.manager import IndexManager
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


@pytest.mark.requirement("INT-11.7-bundle")
def test_a_bundle_has_files_excerpts_citations_and_how_it_came_to_be(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT, strategy="hybrid")
    assert {item["path"] for item in found["files"]} == {"shop/cart.py", "shop/price.py"}
    assert all(item["rationale"] for item in found["excerpts"])
    assert found["citations"] == [item["citation"] for item in found["excerpts"]]
    assert found["audit"]["searches"]
    assert "hidden" not in json.dumps(found)
    again = call.result("repo.build_context_bundle", prompt=PROMPT)
    assert (again["bundle_id"], again["excerpts"]) == (found["bundle_id"], found["excerpts"])


@pytest.mark.requirement("INT-07.3-limits")
def test_the_budget_and_the_limits_hold(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data", limits={"max_bundle_files": 1})
    found = call("repo.build_context_bundle", prompt=PROMPT, budget={"max_files": 5})
    assert len(found["result"]["files"]) == 1
    assert "max_files is limited to 1, 5 was requested" in found["warnings"]
    few = call.result("repo.build_context_bundle", prompt=PROMPT, budget={"max_total_lines": 2})
    assert few["used"]["lines"] <= 2


def test_tests_come_on_request(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT, include_tests=True)
    assert "tests/test_cart.py" in {item["path"] for item in found["files"]}


def test_what_was_shown_is_kept_and_written_down(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT)
    kept = json.loads((call.data / "last_bundle.json").read_text())
    assert kept["bundle_id"] == found["bundle_id"]
    assert "checkout" in (call.data / "last_bundle.md").read_text()
    (entry,) = call.result("repo.audit_log")["calls"]
    assert entry["shown"] == found["citations"]
    assert entry["generation"] == found["audit"]["generation"]


def test_a_prompt_without_a_word_is_refused(call: Caller) -> None:
    assert call.refusal("repo.build_context_bundle", prompt="?!")["code"] == "argument_invalid"


def test_a_first_index_is_waited_for(call: Caller) -> None:
    found = call.result("repo.build_context_bundle", prompt=PROMPT)
    assert found["files"]


def test_while_nothing_is_indexed_it_says_what_to_do(
    root: Path, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.toolsets.interrogator.bundle._WAIT_SECONDS", 0.0)
    call.clock.step = 0.1
    with IndexManager(services(call.options).settings, sandbox(root))._store.lock(0):
        found = call.refusal("repo.build_context_bundle", prompt=PROMPT)
    assert found["code"] == "index_missing"
    assert "repo.search" in found["hint"]
