"""Searches in a snapshot that others read, within a limit, and without what nobody has read.

An answer is that of the whole snapshot, or that of the segments that were read, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final, TypeVar, cast

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:  # few indexes are distributed
    from index_format import Answers, DistributedSnapshot

T = TypeVar("T")
# a snapshot as others read it, if they are ready
OpenDistributed = Callable[[Snapshot, Budget], Snapshot]

# code of the warning that segments were not searched
SHARD_MISSING: Final = "share_missing"
_MOST_NAMED: Final = 3


class SegmentsMissingError(Exception):
    """Nobody has read these segments in time."""

    def __init__(self, names: Collection[str], answered: Answers | None = None) -> None:
        """The names of the segments; `answered` holds the answers of the others."""
        super().__init__(*names)
        self.names = frozenset(names)
        self.answered = answered or {}


def search_distributed(
    snapshot: Snapshot,
    distributed: OpenDistributed | None,
    budget: Budget,
    search: Callable[[Snapshot], T],
) -> tuple[T, tuple[AnswerWarning, ...]]:
    """The result of a search, and a warning where segments are missing."""
    if distributed is not None:
        snapshot = distributed(snapshot, budget)
    if not snapshot.is_distributed:
        return search(snapshot), ()
    there = cast("DistributedSnapshot", snapshot)
    while True:
        try:
            with there.limited(budget):
                return search(there), _warnings(there)
        except SegmentsMissingError as error:
            there = there.leave_out(error.names, error.answered)


def _warnings(snapshot: DistributedSnapshot) -> tuple[AnswerWarning, ...]:
    if not snapshot.without:
        return ()
    entries = [entry for entry in snapshot.manifest.segments if entry.name in snapshot.without]
    files = sum(entry.files - len(entry.dead_files) for entry in entries)
    names = tuple(sorted(entry.name for entry in entries))
    named = ", ".join(names[:_MOST_NAMED])
    text = (
        f"{counted(len(entries), 'segment')} of {len(snapshot.segments)} not searched, with"
        f" {files} of {counted(snapshot.file_count, 'file')}: no worker answered for them ({named})"
    )
    return (AnswerWarning(SHARD_MISSING, text, names=names),)
