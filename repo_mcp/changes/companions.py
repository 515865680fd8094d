"""Finds files that usually change with those that have changed, and have not this time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from repo_mcp.changes.model import MissingCompanion
from repo_mcp.history import Check, CommitIndex, related_files

# commits with both files, and their part of all: fewer happen by chance
_LEAST_TOGETHER: Final = 3
_LEAST_PART: Final = 0.3
# a commit of more files says little of two of them
_MOST_TOGETHER: Final = 15
# files that are named
_MOST_NAMED: Final = 8
# changed files whose history is looked at
_MOST_FILES: Final = 60


def missing_companions(
    commits: CommitIndex, paths: Iterable[str], is_there: Callable[[str], bool], check: Check
) -> list[MissingCompanion]:
    """The files, the likeliest first; `paths` have changed."""
    changed = dict.fromkeys(paths)
    best: dict[str, tuple[float, MissingCompanion]] = {}
    for path in [*changed][:_MOST_FILES]:
        for item in related_files(commits, path, check, _MOST_TOGETHER):
            part = item.together / max(item.of, 1)
            if item.together < _LEAST_TOGETHER or max(part, item.score) < _LEAST_PART:
                continue
            if item.path in changed or not is_there(item.path):
                continue
            score = max(part, item.score)
            if item.path not in best or best[item.path][0] < score:
                found = MissingCompanion(item.path, path, item.together, item.of, item.last)
                best[item.path] = score, found
    ordered = sorted(best.values(), key=lambda item: (-item[0], item[1].path))
    return [found for _, found in ordered[:_MOST_NAMED]]
