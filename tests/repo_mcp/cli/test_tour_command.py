"""`repo-mcp tour` needs no index, and makes none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from repo_mcp import dispatch
from tests.repo_mcp.tree_files import write


def test_it_answers_before_anything_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path / "root", {"go.mod": "module a\n", "cmd/shop/main.go": "package main\n"})
    line = ["tour", "--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    monkeypatch.setattr(sys, "argv", ["repo-mcp", *line])
    assert dispatch.run() == 0
    told = capsys.readouterr().out
    assert "test: `go test ./...`" in told
    assert "begins at: cmd/shop/main.go" in told
    monkeypatch.setattr(sys, "argv", ["repo-mcp", *line, "--json"])
    assert dispatch.run() == 0
    record = json.loads(capsys.readouterr().out)
    assert record["parts"] == [{"path": "cmd/shop", "files": 1, "language": "go"}]
    assert not (tmp_path / "data").exists()


def test_an_empty_folder_has_nothing_to_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["tour", "--repo-root", str(tmp_path), "--data-dir", str(tmp_path / "data")]
    monkeypatch.setattr(sys, "argv", ["repo-mcp", *line])
    assert dispatch.run() == 1
    assert capsys.readouterr().out == "0 files\n"
