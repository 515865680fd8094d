"""A complete index is compared with the files before the first answer, or right after it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from index_format import Snapshot
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.repository import open_index
from repo_mcp.toolsets.kit.index_warnings import COMPARING
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, write


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
    call.app._services().background.wait_until_ready(FOREVER)
    later = call("repo.search", query="needle")
    assert paths(later["result"]) == {"a.py", "new.py"}
    assert COMPARING.text not in later["warnings"]


def test_a_call_looks_at_a_complete_index_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Caller(data.parent / "root", data)
    background = call.app._services().background
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
