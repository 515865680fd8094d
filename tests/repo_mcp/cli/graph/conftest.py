"""Commands on a repository of Python, and on one of TypeScript."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.cli.graph.graph_process import PYTHON, TYPESCRIPT, Commands


@pytest.fixture
def shop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Commands:
    return Commands(tmp_path, PYTHON, monkeypatch, capfd)


@pytest.fixture
def store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Commands:
    return Commands(tmp_path, TYPESCRIPT, monkeypatch, capfd)
