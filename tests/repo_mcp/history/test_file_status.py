"""Files that differ from a commit are git's, whatever is remembered of the checkout."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.git import read_staging
from repo_mcp.history.service import RootHistory
from repo_mcp.history.working_tree import working_changes
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.history.histories import Asked, asked
from tests.repo_mcp.trees import FOREVER, write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
FILES = {f"lib{at % 7}/part{at % 3}/m{at}.py": f"x = {at}\n" for at in range(60)}
NAMES = ["top.py", "lib1/new.py", "lib2/part9/deep/n.py", "lib0/part0/note.md", *FILES]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", {**FILES, ".gitignore": "*.log\n", "kept.log": "1\n"})
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "add", "-f", "kept.log")
    run_git(root, "commit", "-qm", "first")
    return root


@pytest.fixture
def opened(root: Path, tmp_path: Path) -> Iterator[Asked]:
    with asked(root, tmp_path / "data", watch="off") as found:
        yield found


def differing(opened: Asked, *, is_current: bool) -> set[str]:
    (history,) = opened.histories.roots.values()
    assert isinstance(history, RootHistory)
    checkout = history.checkout(FOREVER, is_current=is_current)
    with history.history.reading():
        head = history.history.named("")
        found = working_changes(history.history, head, checkout, lambda: None)
    sides = [side for item in found.changes for side in (item.old, item.new)]
    return {side.path for side in sides if side.is_there}


def told_by_git(root: Path) -> set[str]:
    rows = run_git(root, "status", "--porcelain", "-z", "--no-renames", "-uall").decode()
    return {row[3:] for row in rows.split("\0") if row}


def edit(root: Path, chance: random.Random) -> None:
    """Edit, add, remove and stage some files, or commit them."""
    for path in chance.sample(NAMES, 3):
        if chance.random() < 0.3:
            (root / path).unlink(missing_ok=True)
        else:
            write(root, {path: f"y = {chance.random()}\n" * chance.randrange(1, 4)})
    if chance.random() < 0.3:
        write(root, {"kept.log": f"{chance.random()}\n"})
    if chance.random() < 0.4:
        run_git(root, "add", "-A")
    if chance.random() < 0.2:
        run_git(root, "commit", "-qm", "more", "--allow-empty")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_current", [True, False])
def test_what_differs_is_what_git_says(
    root: Path,
    opened: Asked,
    seed: int,
    is_current: bool,  # noqa: FBT001 a parameter
) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        edit(root, chance)
        if is_current:
            opened.parts.manager.refresh(FOREVER)
        assert differing(opened, is_current=is_current) == told_by_git(root)


def test_no_folder_is_compared_where_the_index_is_current(
    root: Path, opened: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in ("keep.changes", "walk.walk"):  # what has just changed may change again
        monkeypatch.setattr(f"repo_mcp.indexing.{room}._RACY_NANOSECONDS", -(10**18))
    opened.parts.manager.refresh(FOREVER)
    assert not differing(opened, is_current=True)
    write(root, {"lib3/part0/m3.py": "z = 1\n"})
    opened.parts.manager.refresh_paths(["lib3/part0/m3.py"], FOREVER, deep=True)
    listed: list[str] = []
    list_folders, list_folder = Sandbox.list_folders, Sandbox.list_folder

    def note(self: Sandbox, folders: list[str]) -> object:
        listed.extend(folders)
        return list_folders(self, folders)

    def note_one(self: Sandbox, folder: str) -> object:
        listed.append(folder)
        return list_folder(self, folder)

    def refuse(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr(Sandbox, "list_folders", note)
    monkeypatch.setattr(Sandbox, "list_folder", note_one)
    monkeypatch.setattr(Sandbox, "same_folders", refuse)
    assert differing(opened, is_current=True) == {"lib3/part0/m3.py"}
    assert {*listed} <= {"", "lib3", "lib3/part0"}


def test_git_s_index_is_read_once(
    root: Path, opened: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def note(own: str) -> object:
        read.append(own)
        return read_staging(own)

    monkeypatch.setattr("repo_mcp.history.file_status.read_staging", note)
    for _ in range(3):
        differing(opened, is_current=False)
    assert len(read) == 1
    write(root, {"top.py": "x = 1\n"})
    run_git(root, "add", "top.py")
    assert differing(opened, is_current=False) == {"top.py"}
    assert len(read) == 2
