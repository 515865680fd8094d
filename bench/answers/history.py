"""Reads trees and commits from bare git repositories."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.ranking.patches import Patch
from bench.ranking.trees import MAX_BYTES

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
    found = _git(git_dir, "log", "--no-merges", "--name-only", form, span).decode(
        "utf-8", "replace"
    )
    for entry in found.split(_ENTRY)[1:]:
        message, _, names = entry.partition(_PART)
        title, _, rest = message.strip().partition("\n")
        paragraphs = tuple(part.strip() for part in rest.split("\n\n") if part.strip())
        yield Patch(title, paragraphs, tuple(filter(None, names.strip().split("\n"))))


def extract(git_dir: Path, commit: str, root: Path) -> None:
    """Write the files of a commit, without links, large files and those that are not there."""
    listed = _git(git_dir, "-c", "core.quotepath=off", "ls-tree", "-r", commit).decode()
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


def _git(git_dir: Path, *arguments: str) -> bytes:
    command = ["git", f"--git-dir={git_dir}", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
