from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.hook.hook_tree import HookTree


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> HookTree:
    """A shop that no test changes."""
    return HookTree(tmp_path_factory.mktemp("hooks"))


@pytest.fixture
def own_shop(tmp_path: Path) -> HookTree:
    """A shop that a test may change."""
    return HookTree(tmp_path)
