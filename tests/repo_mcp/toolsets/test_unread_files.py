"""That there is no symbol of a name is said when all files were read, and not before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.budget import PatientBudget
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.on_demand import OnDemand
from repo_mcp.repository import repository
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.trees import FOREVER, write
from tests.repo_mcp.web.browsing import Browser

pytestmark = pytest.mark.servers
FILES: dict[str, str | bytes] = {"a.py": "class Account:\n    def delete(self):\n        pass\n"}
TYPED = "from a import Account\n\n\ndef mark_deleted(one: Account):\n    one.delete()\n"
# tools that are asked about one symbol, and those that list symbols
OF_ONE = {"repo.symbol": "name", "get_symbol": "node_id", "get_callers": "node_id"}
LISTS = {"search_symbols": "query", "lookup_symbol": "qualified_name"}
TOOLS = [*(OF_ONE | LISTS).items()]


@pytest.fixture
def call(tmp_path: Path) -> Linked:
    """A server that has compared all files a moment ago, in a walk that took long."""
    root = write(tmp_path / "root", FILES)
    call = Linked(root, tmp_path / "data", toolsets=("interrogator", "codeagent")).linked()
    call.app.services.running().background._worker.walks.seconds = 5.0
    write(root, {"b.py": TYPED})
    return call


def asked(call: Linked, tool: str, argument: str, name: str) -> dict[str, Any]:
    """The answer of a tool of any toolset."""
    answer: dict[str, Any] = call.app.call(tool, {argument: name}, lambda: False)
    return answer


@pytest.mark.parametrize(("tool", "argument"), TOOLS)
def test_a_symbol_of_a_file_that_is_not_read_yet_is_waited_for(
    call: Linked, tool: str, argument: str
) -> None:
    name = "b.mark_deleted" if tool == "lookup_symbol" else "mark_deleted"
    answer = asked(call, tool, argument, name)
    assert not answer["isError"]
    assert "b.py" in str(answer) or tool == "get_callers"


def test_the_history_of_a_symbol_waits_for_it_too(call: Linked) -> None:
    assert call.refusal("repo.history", symbol="mark_deleted")["code"] == "no_history"
    assert call.refusal("repo.history", symbol="forgotten")["code"] == "symbol_missing"


@pytest.mark.parametrize(("tool", "argument"), [*TOOLS, ("repo.history", "symbol")])
def test_what_is_not_read_in_time_is_not_absent(
    call: Linked, monkeypatch: pytest.MonkeyPatch, tool: str, argument: str
) -> None:
    monkeypatch.setattr(BackgroundRefresh, "catch_up", lambda *_: False)
    monkeypatch.setattr(PatientBudget, "spent", True)
    text = str(asked(call, tool, argument, "b.mark_deleted"))
    assert "there is no symbol" not in text
    assert "some files are not indexed yet" in text
    assert "no symbol so far is called b.mark_deleted" in text
    assert "changes since then may be missing" in text


@pytest.mark.parametrize(("tool", "argument"), TOOLS)
def test_facts_that_are_not_parsed_yet_are_not_absent(
    call: Linked, monkeypatch: pytest.MonkeyPatch, tool: str, argument: str
) -> None:
    call.app.services.running().tools.repository.manager.refresh(FOREVER, most_parsed=0)
    monkeypatch.setattr(BackgroundRefresh, "catch_up", lambda *_: True)
    monkeypatch.setattr(BackgroundRefresh, "wait_until_linked", lambda *_: False)
    monkeypatch.setattr(BackgroundRefresh, "wait_until_ready", lambda *_: None)
    if tool == "repo.symbol":  # it parses the files with the name
        found = call.symbol("mark_deleted")
        assert found["path"] == "b.py"
        assert "callers" in found["missing"]
    monkeypatch.setattr(OnDemand, "parse", lambda *_: {})
    monkeypatch.setattr(OnDemand, "link", lambda *_: None)
    text = str(asked(call, tool, argument, "b.mark_deleted"))
    assert "there is no symbol" not in text
    assert "the declarations of some files are not indexed yet" in text


def test_of_a_large_tree_too(call: Linked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "MANY_FILES", 1)
    assert call.symbol("mark_deleted")["path"] == "b.py"


def test_a_page_waits_for_it_and_says_what_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(tmp_path, FILES)
    assert "a.Account" in browser.get("/symbol?q=Account").text
    background = browser.app.services.running().background
    monkeypatch.setattr(background._worker.walks, "seconds", 5.0)
    write(browser.root, {"b.py": TYPED})
    assert "b.mark_deleted" in browser.get("/symbol?q=mark_deleted").text
    monkeypatch.setattr(BackgroundRefresh, "catch_up", lambda *_: False)
    monkeypatch.setattr(PatientBudget, "spent", True)
    assert "no symbol so far is called forgotten" in browser.get("/symbol?q=forgotten").text


@pytest.mark.parametrize("name", ["forgotten", "Account.forgotten"])
def test_a_name_of_nothing_is_absent_when_all_was_compared(call: Linked, name: str) -> None:
    assert call.refusal("repo.symbol", name=name)["code"] == "symbol_missing"


@pytest.mark.parametrize(("tool", "argument"), OF_ONE.items())
def test_of_a_large_tree_without_a_graph_a_name_that_no_file_has_is_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, argument: str
) -> None:
    monkeypatch.setattr(repository, "MANY_FILES", 1)
    root = write(tmp_path / "root", {**FILES, "b.py": TYPED})
    call = Linked(root, tmp_path / "data", toolsets=("interrogator", "codeagent"))
    call("repo.refresh_index")
    text = str(asked(call, tool, argument, "b.zzqqy"))
    assert "there is no symbol of this name" in text


def test_a_function_that_was_just_renamed_is_found_by_its_new_name(call: Linked) -> None:
    write(
        Path(call.options.repo_root),
        {"a.py": "class Account:\n    def remove(self):\n        pass\n"},
    )
    assert call.symbol("Account.remove")["path"] == "a.py"
    assert call.refusal("repo.symbol", name="Account.delete")["code"] == "symbol_missing"
