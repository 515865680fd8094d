"""Declarations that differ between two revisions of a repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from docs.sample_shop import run_command
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


OTHER = "\n\ndef other_rate(country): return 1 if country else 2\n"
REVISIONS = [("v1",), ("v1..",), ("v1..main",), ("v1", "main"), ("v1...main",)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(
        tmp_path / "root",
        {
            "shop/tax.py": f"def rate(): return 2\n{OTHER}",
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
            "shop/taxes.py": f"def rate(country): return 2\n{OTHER}",
            "notes.bin": "a\0c",
            "secrets.py": "def key(): return 2\n",
        },
    )
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "two")
    return root


def test_declarations_and_other_files_that_differ(root: Path) -> None:
    done = run_command(root, ["diff", "v1..main"], piped=True)
    assert done.out.splitlines() == [
        "signature: function rate, shop/taxes.py:1 (was in shop/tax.py)",
        "  - def rate()",
        "  + def rate(country)",
        "without declarations: notes.bin",
    ]
    assert run_command(root, ["diff", "main..HEAD"], piped=True).code == 1
    assert run_command(root, ["diff", "v9..HEAD"], piped=True).code == 2


def names(root: Path, *words: str) -> list[tuple[str, str]]:
    done = run_command(root, ["diff", *words, "--json"], piped=True)
    assert done.code in {0, 1}, done
    found = json.loads(done.out).get("declarations", [])
    return [(entry["kind"], entry["name"]) for entry in found]


def test_what_is_not_committed_is_told(root: Path) -> None:
    assert names(root) == []
    text = (root / "shop/taxes.py").read_text(encoding="utf-8")
    write(root, {"shop/taxes.py": f"{text}\n\ndef third(): pass\n"})
    assert names(root) == [("added", "third")]
    run_git(root, "add", "-A")
    assert names(root) == [("added", "third")]
    assert names(root, "v1") == [("signature", "rate"), ("added", "third")]
    write(root, {"shop/taxes.py": text, "new.py": "def fresh(): pass\n", ".gitignore": "*.log\n"})
    write(root, {"noise.log": "x", "shop/crlf.py": "def line(): pass\r\n"})
    assert names(root) == [("added", "fresh"), ("added", "line")]
    (root / "shop/taxes.py").unlink()
    gone = [name for kind, name in names(root) if kind == "removed"]
    assert gone == ["rate", "other_rate"]


def test_a_file_that_is_renamed_and_not_committed_changes_nothing(root: Path) -> None:
    (root / "shop/taxes.py").rename(root / "shop/rates.py")
    assert names(root) == []


def test_a_branch_is_compared_with_where_it_left_another(root: Path) -> None:
    run_git(root, "checkout", "-qb", "side")
    write(root, {"side.py": "def side(): pass\n"})
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "three")
    run_git(root, "checkout", "-q", "main")
    write(root, {"main.py": "def on_main(): pass\n"})
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "four")
    assert names(root, "main..side") == [("removed", "on_main"), ("added", "side")]
    assert names(root, "main...side") == [("added", "side")]


@pytest.mark.parametrize("words", REVISIONS)
def test_revisions_are_given_as_git_takes_them(root: Path, words: tuple[str, ...]) -> None:
    done = run_command(root, ["diff", *words, "--json"], piped=True)
    assert done.code == 0
    (entry,) = json.loads(done.out)["declarations"]
    assert (entry["name"], entry["kind"]) == ("rate", "signature")
