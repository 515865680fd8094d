"""Messages of commits with the lines that each changes, in the tree before it.

Some commits of a repository, drawn by chance but always the same ones, in their order: few files
differ from one tree to the next.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.answers.history import History, check_out, repository_folder
from bench.answers.issues import changed_lines
from bench.exams.rows import chance_of, commits, functions
from bench.ranking.judgements import Judgement, Place
from repo_mcp.question.query import has_parts

_TRAILER: Final = re.compile(r"^[A-Z][\w-]*-by:.*$|^Change-Id:.*$|\s*\(#\d+\)", re.MULTILINE)
_MOST: Final = 30


def changed_functions(
    git: Path, keep: Path, history: History
) -> Iterator[tuple[Path, Judgement, list[Place]]]:
    """Each message with its tree, which is written just before, and the lines of its change."""
    git_dir, root = repository_folder(git, history.name), keep / "trees" / history.folder
    listed = list(commits(git_dir, f"{history.base}..{history.head}"))
    asked = [item for item in listed if functions(item) is not None]
    drawn = {item.name for item in sorted(asked, key=lambda commit: chance_of(commit.name))[:_MOST]}
    for commit in reversed(asked):
        if commit.name not in drawn:
            continue
        try:
            check_out(git_dir, commit.parent, root)
        except subprocess.CalledProcessError:  # a copy of the repository that lacks large files
            continue
        told = "\n\n".join((commit.patch.title, *commit.patch.paragraphs))
        message = _TRAILER.sub("", told).strip()
        sources = [file.path for file in commit.sources]
        lines = changed_lines(git_dir, commit.parent, commit.name, *sources)
        kind = "reports" if has_parts(message) else "changes"
        yield root, Judgement(history.name, kind, message, ()), lines
