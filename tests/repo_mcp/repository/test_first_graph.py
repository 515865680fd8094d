"""A question to a graph that is being linked for the first time waits where that is worth it."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.repository import OutdatedFiles, Repository, tool_wait_policy
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.refreshers import Waiting
from tests.repo_mcp.trees import FOREVER, write


def waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: Progress | None) -> float:
    """The time that a query waits while a link has come so far."""
    clock = Clock()
    parts = services(Options(str(tmp_path / "root"), str(tmp_path / "data")), clock)
    monkeypatch.setattr(IndexManager, "link_progress", running)
    repository = Repository(parts.settings, parts.sandbox, parts.manager, Waiting(clock))
    began = clock.now
    repository.run_graph_query(
        lambda opened, _: opened.graph,
        lambda _: OutdatedFiles(),
        tool_wait_policy(replace(parts.settings, linked_answer_seconds=10.0)),
        Budget(clock=clock),
    )
    return round(clock.now - began, 1)


@pytest.mark.parametrize(
    ("running", "seconds"),
    [
        (Progress("linking", 10, 100, 0, 0, 10.0), 1.0),  # it takes 90 seconds more
        (Progress("linking", 1, 100, 0, 0, 4.0), 10.0),  # of few files, the first tell nothing
        (Progress("linking", 1, 10_000, 0, 0, 4.0), 1.0),
        (Progress("linking", 90, 100, 0, 0, 45.0), 5.0),  # at first it seems to be done in time
        (Progress("linking", 99, 100, 0, 0, 9.9), 10.0),
        (None, 1.0),  # nothing tells
    ],
)
def test_a_first_link_is_waited_for_as_long_as_it_may_be_done_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: Progress | None, seconds: float
) -> None:
    write(tmp_path / "root", {"a.py": "def f(): pass\n"})
    assert waited(tmp_path, monkeypatch, running) == pytest.approx(seconds, abs=0.2)


def test_a_graph_that_is_only_behind_is_waited_for_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {"a.py": "def f(): pass\n"})
    manager = services(Options(str(root), str(tmp_path / "data"))).manager
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    manager.close()
    assert waited(tmp_path, monkeypatch, None) == pytest.approx(1.0, abs=0.2)
