"""Files that a link of several roots finds changed are refreshed by the roots that have them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.listener import RunListener
from tests.repo_mcp.trees import write
from tests.repo_mcp.workspace.workspaces import call, roots_of, serve


@pytest.mark.servers
def test_a_file_that_changes_before_it_is_linked_is_refreshed_by_its_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = write(tmp_path / "top", {"a/one.py": "def old():\n    pass\n", "b/two.py": "B = 1\n"})
    flags = roots_of(top, {"a": "a", "b": "b"})
    with serve(*flags, data=tmp_path / "data") as app:
        call(app, "repo.search", query="old")
        running = app.services.running()
        background, manager = running.background, running.tools.repository.manager
        assert background.wait_until_linked(Budget())
        link, reports = manager.link, [["a/one.py"]]

        def link_once_changed(budget: Budget, listener: RunListener) -> Sequence[str]:
            link(budget, listener)
            return reports.pop() if reports else ()

        monkeypatch.setattr(manager, "link", link_once_changed)
        write(top, {"a/one.py": "def new():\n    pass\n"})
        background.relink()
        assert background.wait_until_linked(Budget())
        background.relink()
        assert background.wait_until_linked(Budget())
        found = manager.graph()
        assert found.current
        thread = background._worker.thread
        assert thread is not None
        assert thread.is_alive()
        assert not reports
