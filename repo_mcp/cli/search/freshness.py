"""Brings an index up to date before a search where that is quick, and says how old it is else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.changes import Changes
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.stored import IndexProgress
from repo_mcp.text.plurals import counted, span

# processor time that a comparison may add to an answer: it takes a third of it for 5,000 files,
# and no more of it on a machine that is busy
COMPARE_SECONDS: Final = 0.15
# of more files, reading what is remembered of them alone takes as long
MOST_FILES: Final = 50_000
# so much is indexed before an answer; more is left to `repo-mcp index`
_MOST_CHANGED: Final = 64
_MOST_BYTES: Final = 1 << 20
# files whose times prove nothing are read, once, and seldom have changed: after an index that was
# made as soon as they were written these are all files
_MOST_UNPROVED: Final = 5_000
_MOST_UNPROVED_BYTES: Final = 64 << 20
_ADVICE: Final = "`repo-mcp index` brings it up to date, --refresh does so before the search"

WallClock = Callable[[], datetime]


def wall_clock() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


class Freshness(NamedTuple):
    """Freshness of an index against the current text of all files, as far as that is known.

    `changed` files differ from it, `unproved` ones may; `problem` is why they were not indexed.
    """

    compared: bool
    changed: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    problem: Problem | None = None


CURRENT: Final = Freshness(compared=True)
UNKNOWN_AGE: Final = Freshness(compared=False)


def freshen(manager: Indexes, budget: Budget, update: Callable[[], None]) -> Freshness:
    """Compare files and index if that is quick, and `update` the index if little has changed."""
    found = manager.snapshot()
    if found is None:  # it is built before the answer
        return CURRENT
    if found.file_count > MOST_FILES or not IndexProgress.of(found).complete:
        return UNKNOWN_AGE
    limit = Budget(COMPARE_SECONDS, budget.is_cancelled, time.process_time)
    found_changes = {folder: part.changes(limit) for folder, part in manager.parts.items()}
    changes = {folder: item for folder, item in found_changes.items() if item is not None}
    if len(changes) < len(found_changes):
        return UNKNOWN_AGE
    behind = _behind(changes)
    if not (behind.changed or behind.unproved):
        return CURRENT
    return _updated(behind, update) if _is_little(changes.values()) else behind


def _behind(changes: Mapping[str, Changes]) -> Freshness:
    """The files that differ, of all roots; each has what the paths of its files begin with."""
    changed: list[str] = []
    unproved: list[str] = []
    for folder, found in changes.items():
        paths = (item.path for item in found.changed if item.path not in found.unproved)
        changed += (folder + path for path in (*paths, *found.gone))
        unproved += (folder + path for path in sorted(found.unproved))
    return Freshness(compared=False, changed=tuple(changed), unproved=tuple(unproved))


def _updated(behind: Freshness, update: Callable[[], None]) -> Freshness:
    try:
        update()
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        return behind._replace(problem=problem)
    return CURRENT


def describe(freshness: Freshness, last_refresh: str, now: WallClock) -> str:
    """A remark on an index that may be behind the files; empty if it is not."""
    if freshness.compared:
        return ""
    count = counted(len(freshness.changed), "file")
    if freshness.problem is not None and freshness.changed:
        return f"{count} changed and could not be indexed: {freshness.problem.reason}"
    if freshness.problem is not None:
        return f"the index could not be compared with the files: {freshness.problem.reason}"
    age = age_of(last_refresh, now)
    if freshness.changed:
        return f"{count} changed since the index was made {age}: {_ADVICE}"
    return f"the index was made {age} and not compared with the files since: {_ADVICE}"


def age_of(last_refresh: str, now: WallClock) -> str:
    """The age of a refresh."""
    try:
        seconds = (now() - datetime.fromisoformat(last_refresh)).total_seconds()
    except (TypeError, ValueError):
        return "some time ago"
    return f"{span(seconds)} ago"


def _is_little(changes: Iterable[Changes]) -> bool:
    """True if all that has changed is indexed in a moment."""
    unproved: list[int] = []
    changed: list[int] = []
    gone = 0
    for found in changes:
        unproved += (item.size for item in found.changed if item.path in found.unproved)
        changed += (item.size for item in found.changed if item.path not in found.unproved)
        gone += len(found.gone)
    return (
        len(changed) + gone <= _MOST_CHANGED
        and sum(changed) <= _MOST_BYTES
        and len(unproved) <= _MOST_UNPROVED
        and sum(unproved) <= _MOST_UNPROVED_BYTES
    )
