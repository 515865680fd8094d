"""A complete index is compared with the files before the first answer, or right after it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from index_format import Snapshot
from repo_mcp.budget import PatientBudget
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.repository import open_index
from repo_mcp.toolsets.kit.index_warnings import COMPARING
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, write
from tests.repo_mcp.web.browsing import Browser


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", {"a.py": "needle = 1\n"})
    Caller(root, tmp_path / "data").result("repo.refresh_index")
    write(root, {"new.py": "needle = 2\n"})
    return tmp_path / "data"


def paths(found: dict[str, object]) -> set[str]:
    hits = found["hits"]
    assert isinstance(hits, list)
    return {hit["path"] for hit in hits}


def test_a_small_index_is_compared_before_the_first_answer(data: Path) -> None:
    call = Caller(data.parent / "root", data)
    found = call("repo.search", query="needle")
    assert paths(found["result"]) == {"a.py", "new.py"}
    assert COMPARING.text not in found["warnings"]


def test_a_large_index_answers_first_and_says_so(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_index, "_COMPARED_FILES", 0)
    call = Caller(data.parent / "root", data)
    found = call("repo.search", query="needle")
    assert paths(found["result"]) == {"a.py"}
    assert COMPARING.text in found["warnings"]
    # the comparison was begun by the answer: it is enough to wait for it
    call.app.services.running().background.wait_until_ready(FOREVER)
    later = call("repo.search", query="needle")
    assert paths(later["result"]) == {"a.py", "new.py"}
    assert COMPARING.text not in later["warnings"]


@pytest.fixture
def large(data: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """A server of a tree that is too large to be compared before a question."""
    monkeypatch.setattr(open_index, "_COMPARED_FILES", 0)
    write(data.parent / "root", {"typed.py": "def find_needle_twice():\n    return 3\n"})
    toolsets = ("interrogator", "swiftindex")
    return Caller(data.parent / "root", data, toolsets=toolsets)


@pytest.mark.parametrize("query", ["find_needle_twice", "needle twice"])
def test_a_word_is_nowhere_when_all_files_were_compared(large: Caller, query: str) -> None:
    found = large("repo.search", query=query)
    assert found["result"]["hits"][0]["path"] == "typed.py"
    assert found["result"]["nowhere"] == []
    assert COMPARING.text not in found["warnings"]


def test_search_code_compares_all_files_too(large: Caller) -> None:
    found = large.app.call("search_code", {"query": "find_needle_twice"}, lambda: False)
    assert "typed.py" in str(found)


@pytest.mark.parametrize("mode", ["literal", "regex"])
def test_nothing_matches_when_all_files_were_compared(large: Caller, mode: str) -> None:
    found = large("repo.search", query="find_needle_twice", mode=mode)
    assert [file["path"] for file in found["result"]["files"]] == ["typed.py"]
    assert COMPARING.text not in found["warnings"]


def test_a_page_looks_for_a_word_in_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_index, "_COMPARED_FILES", 0)
    browser = Browser(tmp_path, {"a.py": "def find_needle(): pass\n"})
    write(browser.root, {"typed.py": "def find_needle_twice(): pass\n"})
    page = browser.get("/search?q=find_needle_twice").text
    assert "typed.py" in page
    assert "Nowhere" not in page


def test_a_word_is_sought_by_a_walk_although_the_last_one_was_long(
    large: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    background = large.app.services.running().background
    background.wait_until_ready(FOREVER)
    monkeypatch.setattr(background._worker.walks, "seconds", 5.0)
    write(large.data.parent / "root", {"late.py": "def find_needle_late():\n    return 4\n"})
    found = large("repo.search", query="find_needle_late")
    assert found["result"]["hits"][0]["path"] == "late.py"


def test_where_comparing_takes_too_long_the_answer_says_that_it_is_of_before(
    large: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BackgroundRefresh, "catch_up", lambda *_: False)
    monkeypatch.setattr(PatientBudget, "spent", True)
    found = large("repo.search", query="find_needle_twice")
    assert COMPARING.text in found["warnings"]


def test_a_call_looks_at_a_complete_index_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Caller(data.parent / "root", data)
    background = call.app.services.running().background
    background.wait_until_ready(FOREVER)
    looks: list[int] = []
    look = IndexManager.snapshot

    def counted(manager: IndexManager) -> Snapshot | None:
        looks.append(threading.get_ident())
        return look(manager)

    monkeypatch.setattr(IndexManager, "snapshot", counted)
    # work after the answer, and other threads, may look too
    monkeypatch.setattr(background, "freshen", lambda: None)
    assert paths(call("repo.search", query="needle")["result"]) == {"a.py", "new.py"}
    assert looks.count(threading.get_ident()) == 1
