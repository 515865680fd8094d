"""A ranked search waits for all words where they are expected before a scan would have ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.model import Progress
from repo_mcp.repository import Repository, ranked_wait_policy, tool_wait_policy
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.refreshers import Waiting
from tests.repo_mcp.trees import write


class _Building(Waiting):
    """A refresher that builds as long as it may."""

    def wait_until_ready(self, budget: Budget) -> None:
        while not budget.spent:
            self.clock.advance(0.1)


@pytest.mark.parametrize(
    ("running", "ranked", "others"),
    [
        (Progress("words", 10, 100, 10, 100, 1.0), 6.0, 1.0),  # it always takes 9 seconds more
        (Progress("words", 50, 100, 50, 100, 4.0), 11.0, 1.0),
        (Progress("words", 1, 100, 1, 100, 1.0), 1.0, 1.0),  # and 99
        (None, 3.0, 1.0),  # nothing tells
    ],
)
def test_all_words_are_waited_for_where_that_is_as_quick(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    running: Progress | None,
    ranked: float,
    others: float,
) -> None:
    clock = Clock()
    root = write(tmp_path / "root", {"a.py": "def f(): pass\n"})
    parts = services(Options(str(root), str(tmp_path / "data")), clock)
    monkeypatch.setattr(Repository, "progress", running)
    repository = Repository(parts.settings, parts.sandbox, parts.manager, _Building(clock))
    wait = tool_wait_policy(parts.settings)
    for policy, seconds in [(ranked_wait_policy(wait), ranked), (wait, others)]:
        began = clock.now
        assert repository.open(policy, Budget(clock=clock)).snapshot is None
        assert clock.now - began == pytest.approx(seconds, abs=0.2)
