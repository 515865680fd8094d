"""`repo-mcp history --symbol` says that there is no such symbol of the files as they are."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp import dispatch
from repo_mcp.cli.search.index import CommandIndex
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import served

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", {"tax.py": "def add_tax():\n    pass\n"})
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first tax")
    return root


@pytest.fixture
def run(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The exit code of a command in this process, and all that it prints."""
    where = ["--repo-root", str(root), "--data-dir", str(root.parent / "data")]

    def call(*line: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["repo-mcp", *line, *where])
        return dispatch.run(), "\n".join(capsys.readouterr())

    return call


def test_declarations_that_are_not_parsed_yet_are_parsed_first(run: Run) -> None:
    assert run("index", "--words-only")[0] == 0
    code, told = run("history", "--symbol", "add_tax")
    assert code == 0
    assert "first tax" in told
    assert "there is no symbol of this name" in run("history", "--symbol", "forgotten")[1]


def test_what_another_process_is_reading_is_not_absent(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("index", "--words-only")[0] == 0
    manager = served(root, root.parent / "data").manager
    with manager.text.store.lock(0):
        code, told = run("history", "--symbol", "add_tax")
    assert code == 2
    assert "no symbol so far is called add_tax" in told
    assert "the declarations of some files are not indexed yet" in told
    monkeypatch.setattr(CommandIndex, "catch_up", lambda *_: False)
    assert "there is no symbol" not in run("history", "--symbol", "add_tax")[1]


def test_several_commits_and_the_reasons_of_lines_are_one_command(run: Run, root: Path) -> None:
    write(root, {"tax.py": "def add_tax():\n    return 1\n"})
    run_git(root, "commit", "-qam", "tax is one\n\nThe law says so.")
    told = run("history", "--rev", "HEAD HEAD~1")[1]
    assert told.index("    The law says so.") < told.index("first tax")
    told = run("blame", "--lines", "all", str(root / "tax.py"))[1]
    assert "    The law says so." in told
    assert "  -    pass\n  +    return 1" in told
