"""Reads trees and commits from bare git repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.ranking.patches import Patch
from bench.ranking.trees import MAX_BYTES
from repo_mcp.budget import Budget
from repo_mcp.history import Histories
from repo_mcp.history.service import PATIENT
from repo_mcp.search import PastChanges
from repo_mcp.services import Services

_LIST: Final = Path(__file__).with_name("repositories.toml")
_ENTRY, _PART = "\x01", "\x02"
_LINK: Final = "120000"


@dataclass(frozen=True, slots=True)
class History:
    """A repository between two commits."""

    name: str
    split: str
    base: str
    head: str

    @property
    def folder(self) -> str:
        """A folder name of its own."""
        return self.name.replace("/", "+")


def histories(split: str) -> list[History]:
    """The repositories of a split, in the order of the list."""
    listed = tomllib.loads(_LIST.read_text("utf-8"))["repository"]
    return [History(**entry) for entry in listed if entry["split"] == split]


def commits(git_dir: Path, history: History) -> Iterator[Patch]:
    """The commits after the base without merges, newest first: messages and changed paths."""
    form = f"--format={_ENTRY}%B{_PART}"
    span = f"{history.base}..{history.head}"
    found = read_git(git_dir, "log", "--no-merges", "--name-only", form, span)
    for entry in found.split(_ENTRY)[1:]:
        message, _, names = entry.partition(_PART)
        yield Patch.of_commit(message, filter(None, names.strip().split("\n")))


def extract(git_dir: Path, commit: str, root: Path) -> None:
    """Write the files of a commit, without links, large files and those that are not there."""
    listed = read_git(git_dir, "-c", "core.quotepath=off", "ls-tree", "-r", commit)
    rows = [row.partition("\t") for row in listed.splitlines()]
    kept = [(meta.split()[2], path) for meta, _, path in rows if not meta.startswith(_LINK)]
    command = ["git", f"--git-dir={git_dir}", "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as batch:
        assert batch.stdin is not None
        assert batch.stdout is not None
        for name, path in kept:
            batch.stdin.write(f"{name}\n".encode())
            batch.stdin.flush()
            _, kind, *size = batch.stdout.readline().split()
            if kind == b"missing":
                continue
            data = batch.stdout.read(int(size[0]))
            batch.stdout.read(1)
            if kind == b"blob" and len(data) <= MAX_BYTES:
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)


def repository_folder(git: Path, name: str) -> Path:
    """The copy of a repository OWNER/NAME; of one that is not bare, its `.git`."""
    folder = git / name.replace("/", "+") / "repo"
    return folder / ".git" if (folder / ".git").is_dir() else folder


def check_out(git_dir: Path, commit: str, root: Path) -> None:
    """Make a folder the tree of a commit; what it has of another one is replaced.

    The index of git stands beside the folder, and nothing is written to the repository.
    """
    index = root.with_name(f"{root.name}.index")
    if not index.exists():  # git does not know what is there, and would leave it
        shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True, exist_ok=True)
    places = {"GIT_DIR": git_dir, "GIT_WORK_TREE": root, "GIT_INDEX_FILE": index}
    environment = {name: str(path.absolute()) for name, path in places.items()}
    command = ["git", "read-tree", "--reset", "-u", commit]
    subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=True)


def link_past(git_dir: Path, commit: str, root: Path) -> None:
    """Make a tree a checkout of a commit, with hard links to the objects of its repository.

    It has no names of branches: what came after the commit is out of reach.
    """
    own = root / ".git"
    if not own.is_dir():
        shutil.copytree(git_dir / "objects", own / "objects", copy_function=os.link)
        (own / "refs").mkdir(exist_ok=True)
    (own / "HEAD").write_text(f"{commit}\n")


@contextmanager
def known_past(
    parts: Services, root: Path, name: str, commit: tuple[Path, str] | None
) -> Iterator[PastChanges | None]:
    """The changes up to a commit, given with the folder of bare repositories."""
    if commit is None:
        yield None
        return
    git, identity = commit
    link_past(repository_folder(git, name).resolve(), identity, root)
    histories = Histories(parts.manager.parts, PATIENT)
    try:
        histories.roots[""].keep_up(Budget())
        yield histories.past
    finally:
        histories.close()


def read_git(git_dir: Path, *arguments: str) -> str:
    """The output of git."""
    command = ["git", f"--git-dir={git_dir}", *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")
