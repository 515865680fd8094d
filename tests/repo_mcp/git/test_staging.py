"""The index of a checkout: tracked files, and those that differ from a commit, are git's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from repo_mcp.git import DAMAGE, GitHistory
from repo_mcp.git.commits import read_commit
from repo_mcp.git.staging import Staging, read_staging
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@pytest.fixture(params=["2", "3", "4"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "root"
    HistoryMaker(9).make(root, 80)
    write(root, {"lib/new.py": "x = 1\n", "top.py": "y = 1\n", "sub-dir/a": "a", "sub/b": "b"})
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "more")
    run_git(root, "update-index", "--index-version", request.param)
    if request.param == "3":  # only an entry with more flags makes it so
        run_git(root, "update-index", "--skip-worktree", "top.py")
    return root


def listed(root: Path) -> list[tuple[str, str]]:
    told = run_git(root, "ls-files", "-s", "-z").decode().split("\0")[:-1]
    return [(row.split("\t")[1], row.split()[1]) for row in told]


def changed(root: Path, revision: str) -> set[tuple[str, bool, bool]]:
    history = GitHistory(str(root))
    objects = history.open_objects(1 << 20, 1 << 20)
    identity = run_git(root, "rev-parse", revision).decode().strip()
    commit = read_commit(objects, bytes.fromhex(identity))
    assert commit is not None
    found = read_staging(str(root / ".git")).changed_since(objects, commit.tree)
    return {
        (
            os.fsdecode(new.path) if new else old.path if old else "",
            old is not None,
            new is not None,
        )
        for old, new in found
    }


def told(root: Path, revision: str) -> set[tuple[str, bool, bool]]:
    rows = run_git(root, "diff", "--cached", "--no-renames", "--name-status", "-z", revision)
    parts = rows.decode().split("\0")[:-1]
    return {
        (path, kind != "A", kind != "D") for kind, path in zip(parts[::2], parts[1::2], strict=True)
    }


def test_files_are_those_that_git_lists(root: Path) -> None:
    staging = read_staging(str(root / ".git"))
    assert [(os.fsdecode(item.path), item.identity.hex()) for item in staging.files] == listed(root)
    for item in staging.files:
        stat = (root / os.fsdecode(item.path)).stat()
        is_sure = stat.st_size > 0 and stat.st_mtime_ns < staging.written_ns
        assert staging.is_as_added(item, stat.st_size, stat.st_mtime_ns) == is_sure
        assert not staging.is_as_added(item, stat.st_size + 1, stat.st_mtime_ns)


def test_a_file_that_changed_when_the_index_was_written_may_have_changed_again(root: Path) -> None:
    staging = read_staging(str(root / ".git"))
    item = next(item for item in staging.files if item.size)
    at = Staging([item], {}, item.mtime_ns)
    assert not at.is_as_added(item, item.size, item.mtime_ns)
    later = Staging([item], {}, item.mtime_ns + 1)
    assert later.is_as_added(item, item.size, item.mtime_ns)


@pytest.mark.parametrize("revision", ["HEAD", "HEAD~1", "HEAD~4"])
def test_files_differ_where_git_says(root: Path, revision: str) -> None:
    assert changed(root, revision) == told(root, revision)
    write(root, {"lib/new.py": "x = 2\n", "lib/newer.py": "z = 1\n", "sub.py": "q"})
    (root / "sub/b").unlink()
    run_git(root, "add", "-A")
    assert changed(root, revision) == told(root, revision)
    run_git(root, "write-tree")  # which fills in the hashes of folders
    assert changed(root, revision) == told(root, revision)


def test_a_damaged_index_is_damage(root: Path) -> None:
    path = root / ".git/index"
    data = path.read_bytes()
    for damaged in (b"DIRX" + data[4:], data[:4] + b"\0\0\0\x09" + data[8:], data[:200]):
        path.write_bytes(damaged)
        with pytest.raises(DAMAGE):
            read_staging(str(root / ".git"))
    path.unlink()
    assert read_staging(str(root / ".git")).files == ()
