"""Commands answer from the revision that `--rev`, or a ranked query, names."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.dispatch import run
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    root = write(
        tmp_path / "root",
        {
            "tax.py": "def old_tax():\n    pass\n",
            "till.py": "from tax import old_tax\n\nold_tax()\n",
        },
    )
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")
    run_git(root, "tag", "v1")
    write(root, {"tax.py": "def new_tax():\n    pass\n", "till.py": "import tax\n"})
    run_git(root, "commit", "-qam", "second")
    monkeypatch.chdir(root)
    given = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]

    def called(command: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["repo-mcp", command, *words, *given])
        code = run()
        told = capsys.readouterr()
        return code, told.out, told.err

    return called


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["search", "--rev", "v1", "old_tax"], "def old_tax"),
        (["search", "rev:v1", "old_tax"], "def old_tax"),
        (["search", "rev:v1 old_tax"], "def old_tax"),
        (["search", "--rev", "v1", "-e", "def .*_tax"], "def old_tax"),
        (["open", "--rev", "v1", "tax.py"], "def old_tax"),
        (["outline", "--rev", "v1", "tax.py"], "old_tax"),
        (["callers", "--rev", "v1", "old_tax"], "till.py:3"),
        (["symbol", "--rev", "v1", "old_tax"], "till.py"),
        (["bundle", "--rev", "v1", "tax"], "old_tax"),
        (["files", "--rev", "HEAD~1"], "tax.py"),
    ],
)
def test_a_command_answers_from_the_revision(call: Call, words: list[str], found: str) -> None:
    code, out, err = call(*words)
    assert (code, found in out) == (0, True)
    assert "new_tax" not in out
    assert "as of" in err
    assert "new_tax" in call("search", "tax")[1]


def test_a_pattern_is_searched_for_as_it_is(call: Call) -> None:
    code, out, err = call("search", "-F", "-e", "rev:v1")
    assert (code, out, "as of" in err) == (1, "", False)


def test_a_name_of_no_revision_is_an_error(call: Call) -> None:
    code, out, err = call("search", "--rev", "v2", "tax")
    assert (code, out) == (2, "")
    assert "'v2'" in err
