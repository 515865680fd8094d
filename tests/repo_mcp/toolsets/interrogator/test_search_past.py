"""`repo.search` with the history indexed: a raised hit names its commit."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.history.past_repository import FILES, QUERY, THINGS, about, make
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.waiting import HANG

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


def first_hit(call: Caller) -> dict[str, Any]:
    hit: dict[str, Any] = call.result("repo.search", query=QUERY)["hits"][0]
    return hit


def test_a_raised_hit_names_its_commit_once_the_history_is_indexed(tmp_path: Path) -> None:
    root = make(tmp_path / "root", [about(thing) for thing in THINGS])
    call = Caller(root, tmp_path / "data")
    assert first_hit(call)["commit"] == ""
    call.app.call("repo.history", {"words": "rounding"}, lambda: False)
    end = time.monotonic() + HANG
    while not (hit := first_hit(call))["commit"] and time.monotonic() < end:
        pass  # until a thread has made the votes ready
    assert hit["path"] == FILES["coupon"]
    assert hit["commit"].endswith(about("coupon"))


def test_without_a_history_words_alone_rank(tmp_path: Path) -> None:
    root = make(tmp_path / "root", [about(thing) for thing in THINGS])
    call = Caller(root, tmp_path / "data", history_commits=0)
    assert first_hit(call)["commit"] == ""
