"""A small repository with a current index, for the tests of the command `search`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.cli.search.search_process import TREE, places
from tests.repo_mcp.trees import FOREVER, served, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


@pytest.fixture
def where(root: Path, tmp_path: Path) -> list[str]:
    """Arguments of a search that finds a current index."""
    served(root, tmp_path / "data").manager.refresh(FOREVER)
    return places(root, tmp_path / "data")
