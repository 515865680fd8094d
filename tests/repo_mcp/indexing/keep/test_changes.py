"""Folders that are passed over hide no change: rules, links, folders and files of any kind."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import pytest

from repo_mcp.indexing.build.tasks import FileTasks
from repo_mcp.indexing.keep.changes import Changes, compare, remember_folders
from repo_mcp.indexing.walk.known_folders import KnownFolders, UnchangedFolders
from repo_mcp.indexing.walk.memory import CachedStat, WalkMemory
from repo_mcp.indexing.walk.walk import Discovery, FolderFiles, Selection
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.trees import FOREVER

ROUNDS = 40
FOLDERS = ["", "a", "a/b", "c", "c/d/e"]
NAMES = ["x.py", "y.py", "z.o", "w.txt", "n.bin"]
RULES = ["*.py\n", "x.py\n", "/b\n", "b/y.py\n", "!x.py\n", "*\n", "", "# nothing\n", "e/\n"]


class Editor:
    """Changes a tree at random, its rules among it."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root = root
        self.chance = chance
        self.rule_files = 0

    def edit(self) -> None:
        kinds = [self.write, self.write, self.write, self.remove, self.rules, self.link]
        self.chance.choice([*kinds, self.repository, self.mark])()

    def place(self, name: str) -> Path:
        folder = self.root / self.chance.choice(FOLDERS)
        for part in [*reversed(folder.relative_to(self.root).parents), Path()]:
            above = self.root / part
            if above.is_symlink() or above.is_file():
                above.unlink()
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def clear(self, path: Path) -> Path:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_symlink() or path.exists():
            path.unlink()
        return path

    def write(self) -> None:
        text = "w" * self.chance.randint(1, 3000)
        self.clear(self.place(self.chance.choice(NAMES))).write_text(text)

    def remove(self) -> None:
        self.clear(self.place(self.chance.choice([*NAMES, "b", "d"])))

    def rules(self) -> None:
        rules = "".join(self.chance.sample(RULES, 2))
        path = self.clear(self.place(".gitignore"))
        path.write_text(rules)
        # a time of its own: this tree is compared more often than clocks of file systems tick
        self.rule_files += 1
        os.utime(path, ns=(self.rule_files, self.rule_files))

    def link(self) -> None:
        self.clear(self.place(self.chance.choice(NAMES))).symlink_to("x.py")

    def repository(self) -> None:
        self.clear(self.place(".git")).mkdir()

    def mark(self) -> None:
        path = self.place("CACHEDIR.TAG")
        if path.exists():
            path.unlink()
        elif self.chance.random() < 0.3:
            path.write_text("")


def read(changes: Changes, states: WalkMemory, walked: Discovery, sandbox: Sandbox) -> None:
    """Record all changes, as a refresh does that reads every file."""
    for path in changes.gone:
        del states[path]
    for task in [*changes.changed, *changes.shallow]:
        assert not walked.reason(task.path)
        key = sandbox.file_key(task.path)
        reason = "binary" if task.path.endswith(".bin") else ""
        states[task.path] = CachedStat(key, bytes(16), reason, shallow=task.path.endswith("y.py"))
    remember_folders(changes, states)


def told(changes: Changes, discovery: Discovery) -> object:
    changed, shallow = sorted(changes.changed), sorted(changes.shallow)
    return changed, shallow, sorted(changes.gone), +(changes.left_out + discovery.left_out)


def long_after() -> int:
    """A time at which no rule file is new."""
    return time.time_ns() + 3_000_000_000


@pytest.mark.parametrize("seed", range(6))
def test_what_is_passed_over_has_not_changed(tmp_path: Path, seed: int) -> None:
    editor = Editor(tmp_path, random.Random(seed))
    sandbox = Sandbox(str(tmp_path), Denylist(), max_file_bytes=1 << 20)
    selection = Selection(2000)
    states = WalkMemory()
    passed_over = 0
    for _ in range(ROUNDS):
        for _ in range(editor.chance.randint(0, 3)):
            editor.edit()
        quick, slow = (Discovery(sandbox, selection, long_after) for _ in range(2))
        before = states.known_folders()
        found = list(quick.by_folder(before, FOREVER))
        ranges = [item for item in found if isinstance(item, UnchangedFolders)]
        passed_over += sum(item.end - item.first for item in ranges)
        passed_over += sum(isinstance(item, FolderFiles) and item.files is None for item in found)
        changes = compare(found, states, before)
        every = compare(slow.by_folder(KnownFolders(), FOREVER), states)
        assert told(changes, quick) == told(every, slow)
        listed = sorted(file.path for file in Discovery(sandbox, selection).files(FOREVER))
        read(changes, states, Discovery(sandbox, selection), sandbox)
        assert sorted(states) == listed
        walked = {item.folder for item in found if isinstance(item, FolderFiles)}
        for item in ranges:
            walked.update(before.paths[item.first : item.end])
        assert set(states.folders) <= walked
    assert passed_over > ROUNDS
    sandbox.close()


def test_rules_that_let_in_a_file_which_was_not_read_are_not_taken_for_the_known_ones(
    tmp_path: Path,
) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    for path in ("a/b/c/x.py", "a/b/c/v.py", "a/b/z.py"):
        (tmp_path / path).write_text("x")
    rules = tmp_path / "a/.gitignore"
    rules.write_text("x.py\n")
    sandbox = Sandbox(str(tmp_path), Denylist(), max_file_bytes=1 << 20)
    selection = Selection(2000)
    states = WalkMemory()

    def changes_now() -> Changes:
        walk = Discovery(sandbox, selection, long_after)
        return compare(walk.by_folder(states.known_folders(), FOREVER), states)

    read(changes_now(), states, Discovery(sandbox, selection), sandbox)
    rules.write_text("w.py\n# other\n")
    first = changes_now()
    assert [task.path for task in first.changed] == ["a/.gitignore", "a/b/c/x.py"]
    # all but one of the files are read, as by a run that is stopped
    first.changed = FileTasks(task for task in first.changed if not task.path.endswith("x.py"))
    read(first, states, Discovery(sandbox, selection), sandbox)
    assert [task.path for task in changes_now().changed] == ["a/b/c/x.py"]
    sandbox.close()
