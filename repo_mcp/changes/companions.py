"""Finds files that usually change with those that have changed, and have not this time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.changes.model import MissingCompanion
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.errors import Problem
from repo_mcp.history import CommitIndex, Histories, RootHistory, related_files

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
            rows = missing_companions(commits, own, partial(_is_below, is_there, prefix), budget)
        denied = root.history.denylist
        found = found or []
        found += [
            item._replace(path=prefix + item.path, because=prefix + item.because)
            for item in rows
            if not denied.rule(item.path)
        ]
    return found


def _is_below(is_there: Callable[[str], bool], prefix: str, path: str) -> bool:
    return is_there(prefix + path)


def _commits(root: RootHistory, budget: Budget, *, waits: bool) -> CommitIndex | None:
    try:
        opened = root.open(budget) if waits else root.peek()
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        return None
    return None if opened is None else opened.commits


def missing_companions(
    commits: CommitIndex, paths: Iterable[str], is_there: Callable[[str], bool], budget: Budget
) -> list[MissingCompanion]:
    """The files, the likeliest first; `paths` have changed."""
    changed = dict.fromkeys(paths)
    best: dict[str, tuple[float, MissingCompanion]] = {}
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
                found = MissingCompanion(item.path, path, item.together, item.of, item.last)
                best[item.path] = score, found
    ordered = sorted(best.values(), key=lambda item: (-item[0], item[1].path))
    return [found for _, found in ordered[:_MOST_NAMED]]
