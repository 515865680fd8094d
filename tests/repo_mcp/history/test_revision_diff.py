"""Declarations that differ between two revisions of a repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from docs.sample_shop import run_command
from repo_mcp.errors import Problem
from repo_mcp.history import diff_revisions, parser_of
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.history.histories import asked
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(
        tmp_path / "root",
        {
            "shop/tax.py": "def rate(): return 2\n\n\ndef other_rate(country): return 1 if country else 2\n",
            "notes.bin": "a\0b",
            "secrets.py": "def key(): return 1\n",
        },
    )
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "one")
    run_git(root, "tag", "v1")
    run_git(root, "mv", "shop/tax.py", "shop/taxes.py")
    write(
        root,
        {
            "shop/taxes.py": "def rate(country): return 2\n\n\ndef other_rate(country): return 1 if country else 2\n",
            "notes.bin": "a\0c",
            "secrets.py": "def key(): return 2\n",
        },
    )
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "two")
    return root


def test_declarations_and_other_files_that_differ(root: Path, tmp_path: Path) -> None:
    with asked(root, tmp_path / "data") as history:
        given = history.histories.roots[""].history
        parse = parser_of(history.parts.languages)
        result = diff_revisions(given, "v1", "main", parse, lambda: None)
        assert [*result.as_text()] == [
            "signature: function rate, shop/taxes.py:1 (was in shop/tax.py)",
            "  - def rate()",
            "  + def rate(country)",
            "without declarations: notes.bin",
        ]
        assert diff_revisions(given, "main", "HEAD", parse, lambda: None).files == 0
        with pytest.raises(Problem):
            diff_revisions(given, "v9", "main", parse, lambda: None)


@pytest.mark.parametrize("words", [("v1",), ("v1..",), ("v1..main",), ("v1", "main")])
def test_revisions_are_given_as_git_takes_them(root: Path, words: tuple[str, ...]) -> None:
    done = run_command(root, ["diff", *words, "--json"], piped=True)
    assert done.code == 0
    (entry,) = json.loads(done.out)["declarations"]
    assert (entry["name"], entry["kind"]) == ("rate", "signature")
