"""Messages of commits with the lines that each changes, in the tree before it.

Some commits of a repository, drawn by chance but always the same ones, in their order: few files
differ from one tree to the next.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from bench.answers.history import History
from bench.answers.issues import changed_lines, checked_out, run_git
from bench.answers.judge import ROUTINE, is_source
from bench.ranking.judgements import Judgement, Place
from code_graph.paths.path_kinds import is_test
from repo_mcp.question.query import has_parts

_ENTRY, _PART = "\x01", "\x02"
_TRAILER: Final = re.compile(r"^[A-Z][\w-]*-by:.*$|^Change-Id:.*$|\s*\(#\d+\)", re.MULTILINE)
_MOST: Final = 30
_MOST_FILES: Final = 8
_FEWEST_WORDS: Final = 4


class _Commit(NamedTuple):
    name: str
    parent: str
    message: str

    @property
    def chance(self) -> bytes:
        return hashlib.sha256(self.message.encode()).digest()


def changed_functions(
    git: Path, keep: Path, history: History
) -> Iterator[tuple[Path, Judgement, list[Place]]]:
    """Each message with its tree, which is written just before, and the lines of its change."""
    git_dir, root = git / history.folder / "repo", keep / "trees" / history.folder
    listed = [*_commits(git_dir, keep, root, history)]
    drawn = {commit.name for commit in sorted(listed, key=lambda commit: commit.chance)[:_MOST]}
    for commit in reversed(listed):
        if commit.name in drawn and checked_out(git_dir, keep, root, commit.parent):
            lines = changed_lines(git_dir, keep, root, commit.parent, commit.name)
            kept = [place for place in lines if _is_asked(place.path)]
            kind = "reports" if has_parts(commit.message) else "changes"
            yield root, Judgement(history.name, kind, commit.message, ()), kept


def _commits(git_dir: Path, keep: Path, root: Path, history: History) -> Iterator[_Commit]:
    form = f"--format={_ENTRY}%H %P{_PART}%B{_PART}"
    span = f"{history.base}..{history.head}"
    told = run_git(git_dir, keep, root, "log", "--no-merges", "--name-only", form, span)
    for entry in told.split(_ENTRY)[1:]:
        ids, _, rest = entry.partition(_PART)
        message, _, files = rest.rpartition(_PART)
        name, *parents = ids.split() or [""]
        asked = [path for path in files.strip().split("\n") if _is_asked(path)]
        message = _TRAILER.sub("", message).strip()
        is_told = len(message.split()) >= _FEWEST_WORDS and ROUTINE.search(message) is None
        if len(parents) == 1 and 0 < len(asked) <= _MOST_FILES and is_told:
            yield _Commit(name, parents[0], message)


def _is_asked(path: str) -> bool:
    return bool(path) and is_source(path) and not is_test(path)
