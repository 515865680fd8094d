"""Reads files and commits of a bare git repository at one commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.ranking.patches import Patch

_ENTRY, _PART = "\x01", "\x02"
_CONTEXT: Final = 8
# what is kept of one hunk
_MOST_ROWS, _LONGEST_ROW = 60, 250
_MOST_HUNKS: Final = 60
# files that are asked for at once: so few names fit into a pipe's buffer
_AHEAD: Final = 32


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a tree: its path, its object and its size."""

    path: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """A place that a commit changes, as it was before: its file, the heading, the lines."""

    path: str
    heading: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """Author and message of a commit, and the files it changes."""

    author: str
    message: Patch
    hunks: tuple[Hunk, ...]


def head(git_dir: Path) -> str:
    """The commit that a repository's HEAD names."""
    return _git(git_dir, "rev-parse", "HEAD").decode().strip()


def has(git_dir: Path, commit: str) -> bool:
    """True if a repository has this commit."""
    command = ["git", f"--git-dir={git_dir}", "cat-file", "-e", f"{commit}^{{commit}}"]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def tree(git_dir: Path, commit: str, *, nested: bool = True) -> list[Blob]:
    """The files of a commit, without links; those of its top folder alone unless `nested`."""
    options = ["-r"] if nested else []
    listed = _git(git_dir, "ls-tree", *options, "-l", "-z", commit).decode("utf-8", "replace")
    found = []
    for row in listed.split("\0"):
        meta, _, path = row.partition("\t")
        mode, kind, name, size = (*meta.split(), "", "", "", "")[:4]
        if kind == "blob" and mode.startswith("100") and size.isdigit():
            found.append(Blob(path, name, int(size)))
    return found


def texts(git_dir: Path, blobs: Sequence[Blob]) -> Iterator[tuple[Blob, bytes]]:
    """The content of files, read one after the other as they are asked for."""
    command = ["git", f"--git-dir={git_dir}", "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as batch:
        assert batch.stdin is not None
        assert batch.stdout is not None
        try:
            for at, blob in enumerate(blobs):
                if at % _AHEAD == 0:
                    asked = "".join(f"{each.name}\n" for each in blobs[at : at + _AHEAD])
                    batch.stdin.write(asked.encode())
                    batch.stdin.flush()
                _, kind, *size = batch.stdout.readline().split()
                if kind == b"missing":
                    continue
                data = batch.stdout.read(int(size[0]))
                batch.stdout.read(1)
                yield blob, data
        finally:
            batch.kill()


def commits(git_dir: Path, commit: str, most: int, patterns: Sequence[str]) -> Iterator[Commit]:
    """Commits that modify files of these patterns, newest first, without merges."""
    command = [
        *("git", f"--git-dir={git_dir}", "-c", "core.quotepath=off", "log", "--no-merges"),
        *(f"--max-count={most}", f"--format={_ENTRY}%an{_PART}%B{_PART}", "--patch"),
        *(f"--unified={_CONTEXT}", "--diff-filter=M", "--no-renames", "--no-color"),
        *("--no-ext-diff", "--no-textconv", commit, "--", *patterns),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as log:
        assert log.stdout is not None
        try:
            entry: list[str] = []
            for line in log.stdout:
                row = line.decode("utf-8", "replace")
                if row.startswith(_ENTRY) and entry:
                    yield _commit(entry)
                    entry = []
                entry.append(row)
            if entry:
                yield _commit(entry)
        finally:
            log.kill()


def _commit(entry: Sequence[str]) -> Commit:
    ended = [at for at, row in enumerate(entry) if row.startswith(_PART) or _PART in row]
    last = ended[-1] if ended else 0
    author, _, message = "".join(entry[: last + 1]).strip(_ENTRY + _PART + "\n").partition(_PART)
    title, _, rest = message.strip().partition("\n")
    paragraphs = tuple(part.strip() for part in rest.split("\n\n") if part.strip())
    hunks = tuple(_hunks(entry[last + 1 :]))
    paths = tuple(dict.fromkeys(hunk.path for hunk in hunks))
    return Commit(author, Patch(title, paragraphs, paths), hunks)


def _hunks(rows: Sequence[str]) -> Iterator[Hunk]:
    path, heading, kept, count = "", "", list[str](), 0
    for row in (*rows, "diff --git"):
        begins = row.startswith(("diff --git", "@@"))
        if begins and kept:
            yield Hunk(path, heading, tuple(kept))
            count += 1
            kept = []
            if count == _MOST_HUNKS:
                return
        if row.startswith("--- a/"):
            path = row[6:].rstrip("\n\t")
        elif row.startswith("@@"):
            heading = row.split("@@", 2)[-1].strip()
        elif row[:1] in {" ", "-"} and not row.startswith("--- ") and len(kept) < _MOST_ROWS:
            kept.append(row[1:_LONGEST_ROW].rstrip("\n"))


def _git(git_dir: Path, *arguments: str) -> bytes:
    command = ["git", f"--git-dir={git_dir}", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
