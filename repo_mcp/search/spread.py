"""Searches in a snapshot that others read, within a limit, and without what nobody has read.

An answer is that of the whole snapshot, or that of the segments that were read, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final, TypeVar, cast

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.text.english.plurals import counted

if TYPE_CHECKING:  # few indexes are spread
    from index_format import Answers, SpreadSnapshot

T = TypeVar("T")
# a snapshot as others read it, if they are ready
Spread = Callable[[Snapshot, Budget], Snapshot]

# code of the warning that segments were not searched
SHARE_MISSING: Final = "share_missing"
_MOST_NAMED: Final = 3


class SegmentsMissingError(Exception):
    """Nobody has read these segments in time."""

    def __init__(self, names: Collection[str], answered: Answers | None = None) -> None:
        """By their names; `answered` is what was said of the others."""
        super().__init__(*names)
        self.names = frozenset(names)
        self.answered = answered or {}


def search_spread(
    snapshot: Snapshot, spread: Spread | None, budget: Budget, search: Callable[[Snapshot], T]
) -> tuple[T, tuple[AnswerWarning, ...]]:
    """The result of a search, and a warning where segments are missing."""
    if spread is not None:
        snapshot = spread(snapshot, budget)
    if not snapshot.is_spread:
        return search(snapshot), ()
    there = cast("SpreadSnapshot", snapshot)
    while True:
        try:
            with there.limited(budget):
                return search(there), _warnings(there)
        except SegmentsMissingError as error:
            there = there.leave_out(error.names, error.answered)


def _warnings(snapshot: SpreadSnapshot) -> tuple[AnswerWarning, ...]:
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
    return (AnswerWarning(SHARE_MISSING, text, names=names),)
