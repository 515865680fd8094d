"""The files that changed last are those that git names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from repo_mcp.git import recent_files
from tests.repo_mcp.tree_files import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers


def git(root: Path, *words: str) -> str:
    identity = ["-c", "user.name=x", "-c", "user.email=x", "-c", "protocol.file.allow=always"]
    command = ["git", *identity, "-C", str(root), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=HANG).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", {f"{at % 7}/{at % 3}/f{at}.c": f"{at}\n" for at in range(60)})
    (root / "link").symlink_to("0/0/f0.c")
    git(root, "init", "-q")
    for number in range(9):
        changed = {f"{at % 7}/{at % 3}/f{at}.c": f"new {number}\n" for at in range(number, 60, 11)}
        write(root, {**changed, f"new/n{number}": "x\n"})
        if number == 6:
            (root / "1/1/f1.c").unlink()
            (root / "link").unlink()
            (root / "link").symlink_to("2/2/f2.c")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "more")
        if number == 4:
            git(root, "gc", "-q")
    return root


def test_they_are_those_that_git_names_the_last_ones_first(root: Path) -> None:
    found = recent_files(str(root), 1000)
    before: set[str] = set()
    for commits in range(1, 9):
        named = git(root, "diff", "--name-only", "--diff-filter=AM", f"HEAD~{commits}", "HEAD")
        now = {*named.split()} - {"link"}
        assert {*found[: len(before | now)]} == before | now
        before |= now
    assert len(found) == len(before)
    assert recent_files(str(root), 5) == found[:5]


def test_a_shallow_clone_has_them_as_far_as_it_reaches(root: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(root, "clone", "-q", "--depth", "3", f"file://{root}", str(clone))
    named = git(root, "diff", "--name-only", "--diff-filter=AM", "HEAD~2", "HEAD")
    assert {*recent_files(str(clone), 1000)} == {*named.split()} - {"link"}
    git(root, "clone", "-q", "--depth", "1", f"file://{root}", str(tmp_path / "last"))
    assert recent_files(str(tmp_path / "last"), 1000) == []
    assert recent_files(str(tmp_path), 1000) == []
