"""A commit through the sandbox: its files and no others, whatever its trees and links say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.git import GitHistory, GitObjects, RevisionDoor
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.safety.sandbox.door import RootState
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

LIMIT = 1000
FILES = {
    "src/a.py": "a = 1\n",
    "src/deep/b.py": "b = 1\n",
    "src/.env": "SECRET=1\n",
    "big.txt": "x" * (LIMIT + 1),
    ".gitignore": "*.log\n",
}


def commit(root: Path) -> str:
    run_git(root, "add", "-A", "-f")
    run_git(root, "commit", "-qm", "x")
    return run_git(root, "rev-parse", "HEAD").decode().strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    write(root, dict(FILES))
    run_git(root, "init", "-q", "-b", "main")
    return root


def sandbox_at(root: Path, revision: str) -> Sandbox:
    door = RevisionDoor(str(root), revision)
    return Sandbox(str(root), Denylist(), max_file_bytes=LIMIT, door=door)


def code_of(sandbox: Sandbox, path: str) -> str:
    with pytest.raises(Problem) as caught:
        sandbox.read(path)
    return caught.value.code


def test_files_are_those_of_the_commit_whatever_the_checkout_has(root: Path) -> None:
    sandbox = sandbox_at(root, commit(root))
    write(root, {"src/a.py": "a = 2\n", "src/new.py": "new = 1\n"})
    (root / "src/deep/b.py").unlink()
    assert sandbox.read("src/a.py").data == b"a = 1\n"
    assert sandbox.read("src/deep/b.py").data == b"b = 1\n"
    assert code_of(sandbox, "src/new.py") == "not_found"
    assert [item.name for item in sandbox.list_folder("src").entries] == [".env", "a.py", "deep"]
    assert sandbox.root_state() is RootState.SAME


def test_the_rules_of_a_checkout_hold(root: Path) -> None:
    sandbox = sandbox_at(root, commit(root))
    assert code_of(sandbox, "src/.env") == "path_denied"
    assert code_of(sandbox, "big.txt") == "file_too_large"
    assert code_of(sandbox, "../outside.txt") == "path_outside"
    assert code_of(sandbox, ".git/config") == "path_denied"
    assert code_of(sandbox, "src") == "not_a_file"
    assert code_of(sandbox, "src/a.py/inner") == "not_found"
    plain = sandbox.read_plain(["src/a.py", "src/.env", "big.txt", "nothing"])
    assert [item and item.data for item in plain] == [b"a = 1\n", None, None, None]


def test_links_are_followed_within_the_commit_alone(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    for name, target in {
        "src/good": "deep/b.py",
        "src/folder": "deep",
        "src/up": "../src/a.py",
        "src/out": "../../secret.txt",
        "src/absolute": str(tmp_path / "secret.txt"),
        "src/loop": "loop",
        "src/denied": ".env",
    }.items():
        (root / name).symlink_to(target)
    sandbox = sandbox_at(root, commit(root))
    assert sandbox.read("src/good").data == b"b = 1\n"
    assert sandbox.read("src/up").data == b"a = 1\n"
    assert sandbox.read("src/folder/b.py").data == b"b = 1\n"
    assert code_of(sandbox, "src/out") == "path_outside"
    assert code_of(sandbox, "src/absolute") == "path_outside"
    assert code_of(sandbox, "src/loop") == "not_found"
    assert code_of(sandbox, "src/denied") == "path_denied"
    with pytest.raises(Problem):
        sandbox.read("src/good", follow=False)
    kinds = {item.name: item.kind for item in sandbox.list_folder("src").entries}
    assert {kinds[name] for name in ("good", "folder", "up", "loop")} == {"link"}


def test_names_that_git_would_not_write_are_no_files(root: Path) -> None:
    blob = run_git(root, "hash-object", "-w", "--stdin", given=b"x").decode().strip()
    rows = b"".join(
        b"100644 " + name + b"\0" + bytes.fromhex(blob)
        for name in (b"..", b".", b".GIT", b"a/b", b"good", b"\xff\xfe")
    )
    tree = run_git(root, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=rows)
    made = run_git(root, "commit-tree", tree.decode().strip(), "-m", "x").decode().strip()
    listed = sandbox_at(root, made).list_folder("")
    assert [item.name for item in listed.entries] == ["good"]
    assert listed.unreadable_names == 1


def test_equal_keys_are_equal_contents(root: Path) -> None:
    first = sandbox_at(root, commit(root))
    write(root, {"src/a.py": "a = 2\n"})
    second = sandbox_at(root, commit(root))
    assert first.file_key("src/a.py")[2:] != second.file_key("src/a.py")[2:]
    assert first.file_key("src/deep/b.py")[2:] == second.file_key("src/deep/b.py")[2:]
    assert first.file_key("src/a.py").size == len(FILES["src/a.py"])
    assert first.folder != second.folder


def test_a_commit_that_is_not_there_is_said(root: Path) -> None:
    commit(root)
    with pytest.raises(Problem) as caught:
        RevisionDoor(str(root), "1" * 40)
    assert caught.value.code == "history_unread"


def test_sizes_are_those_of_contents_packed_or_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    HistoryMaker(4).make(root, 60)
    for pack in (False, True):
        if pack:
            run_git(root, "repack", "-adfq", "--depth=50")
        objects: GitObjects = GitHistory(str(root)).open_objects(1 << 24, 1 << 20)
        names = run_git(root, "cat-file", "--batch-all-objects", "--batch-check").decode()
        for row in names.splitlines():
            name, _, size = row.split()
            assert objects.size(bytes.fromhex(name)) == int(size)
        assert objects.size(b"1" * 20) == -1


def test_a_walk_finds_what_it_finds_in_a_checkout(tmp_path: Path) -> None:
    root = tmp_path / "root"
    HistoryMaker(7).make(root, 30)
    write(root, {"lib/x.log": "x", "lib/y.py": "y", ".gitignore": "*.log\n"})
    at = sandbox_at(root, commit(root))
    there = Sandbox(str(root), Denylist(), max_file_bytes=LIMIT)
    for sandbox in (at, there):
        walk = Discovery(sandbox, Selection(LIMIT))
        assert [os.fsdecode(item.path) for item in walk.files(Budget())]
    found = [
        [(item.path, item.key.size) for item in Discovery(box, Selection(LIMIT)).files(Budget())]
        for box in (at, there)
    ]
    assert found[0] == found[1]
