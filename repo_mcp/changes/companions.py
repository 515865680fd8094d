"""Finds files that usually change with those that have changed, and have not this time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.changes.model import MissingCompanion
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.errors import Problem
from repo_mcp.history import (
    CommitIndex,
    Histories,
    RelatedFile,
    RepositoryHistory,
    RootHistory,
    related_files,
)

# commits with both files, and their part of all: fewer happen by chance
_LEAST_TOGETHER: Final = 3
_LEAST_PART: Final = 0.3
# of all commits, where recent ones have more of both
_LEAST_EVER: Final = 0.2
# files that are named
_MOST_NAMED: Final = 8
# changed files whose history is looked at
_MOST_FILES: Final = 60


def companions_of_roots(
    histories: Histories,
    files: Sequence[ComparedFile],
    is_there: Callable[[str], bool],
    budget: Budget,
    *,
    waits: bool,
) -> list[MissingCompanion] | None:
    """The files that miss in a change of several roots; None where no commit is indexed.

    With `waits`, commits are indexed first.
    """
    found: list[MissingCompanion] | None = None
    for prefix, root in histories.roots.items():
        own = [item.path.removeprefix(prefix) for item in files if item.path.startswith(prefix)]
        commits = _commits(root, budget, waits=waits) if own else None
        if commits is None:
            continue
        with root.history.reading():
            given = partial(_is_below, is_there, prefix), partial(_day_of, root.history)
            rows = missing_companions(commits, own, *given, budget)
        found = found or []
        found += [
            item._replace(path=prefix + item.path, because=prefix + item.because)
            for item in rows
            if not root.history.is_denied(item.path)
        ]
    return found


def _is_below(is_there: Callable[[str], bool], prefix: str, path: str) -> bool:
    return is_there(prefix + path)


def _day_of(history: RepositoryHistory, identity: bytes) -> str:
    commit = history.commit(identity)
    return "" if commit is None else commit.author.day


def _commits(root: RootHistory, budget: Budget, *, waits: bool) -> CommitIndex | None:
    try:
        opened = root.open(budget) if waits else root.peek()
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        return None
    return None if opened is None else opened.commits


def missing_companions(
    commits: CommitIndex,
    paths: Iterable[str],
    is_there: Callable[[str], bool],
    day_of: Callable[[bytes], str],
    budget: Budget,
) -> list[MissingCompanion]:
    """The files, the likeliest first; `paths` have changed. `day_of` gives the day of a commit."""
    changed = dict.fromkeys(paths)
    best: dict[str, tuple[float, str, RelatedFile]] = {}
    for path in [*changed][:_MOST_FILES]:
        for item in related_files(commits, path, budget.check):
            part = item.together / max(item.of, 1)
            is_often = item.together >= _LEAST_TOGETHER and part >= _LEAST_EVER
            if not is_often or max(part, item.score) < _LEAST_PART:
                continue
            if item.path in changed or not is_there(item.path):
                continue
            score = max(part, item.score)
            if item.path not in best or best[item.path][0] < score:
                best[item.path] = score, path, item
    ordered = sorted(best.values(), key=lambda row: (-row[0], row[2].path))
    return [
        MissingCompanion(item.path, path, item.together, item.of, day_of(item.last))
        for _, path, item in ordered[:_MOST_NAMED]
    ]
