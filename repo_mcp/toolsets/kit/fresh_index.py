"""A snapshot to answer from: waited for a moment where there is none, rebuilt when damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

from index_format import CorruptIndexError, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress
from repo_mcp.stored import IndexProgress
from repo_mcp.toolsets.kit.services import ToolServices

# what the first question waits for the comparison of all files with a finished index, and in how
# large an index it answers at once instead: its hits are compared with their files anyhow
_COMPARING_SECONDS: Final = 0.25
_SOON_COMPARED: Final = 10_000
# what bringing files up to date that an answer shows to have changed may take
_UPDATE_SECONDS: Final = 0.5
_BEING_BUILT: Final = "the index is being built"
_NOT_BUILT: Final = "the index could not be built"
COMPARING: Final = "the files are still being compared with the index: ask again"

_T = TypeVar("_T")


class IndexView(NamedTuple):
    """The current generation, if there is one, and whether all files are in it.

    `lacking` is what to say of an index that is not complete; `walked` says whether files and index
    were compared in this process.
    """

    snapshot: Snapshot | None
    complete: bool
    walked: bool
    lacking: str

    @property
    def generation(self) -> int:
        """Its number, 0 for none."""
        return 0 if self.snapshot is None else self.snapshot.generation


class FreshIndex:
    """The index of one repository, as a call finds it."""

    def __init__(self, means: ToolServices) -> None:
        """Take what it works with."""
        self._means = means

    def ask(self, budget: Budget, answer: Callable[[IndexView], _T]) -> _T:
        """What `answer` makes of the index; of a damaged one, once more after it is rebuilt."""
        held = self._usable(budget)
        try:
            return answer(held)
        except CorruptIndexError:
            self._means.manager.rebuild(budget.within(self._means.settings.refresh_seconds))
            return answer(self.held(held.lacking))
        finally:  # not before: it would take its time from the answer
            self._means.background.freshen()

    def held(self, lacking: str = _BEING_BUILT) -> IndexView:
        """The index as it is now."""
        # asked before: a comparison that ends meanwhile is not one with this generation
        walked = self._means.background.has_walked
        found = self._means.manager.snapshot()
        complete = found is not None and IndexProgress.of(found).complete
        return IndexView(found, complete, walked, lacking)

    def awaited(self, budget: Budget) -> IndexView:
        """The index once all words are in it, or as it is when the time is up."""
        try:
            self._means.background.ready(budget)
        except Problem as problem:  # what it is, notes of the background say
            if problem.code == "cancelled":
                raise
            return self.held(_NOT_BUILT)
        return self.held()

    def brought_up_to_date(self, paths: Iterable[str], budget: Budget) -> bool:
        """Index files anew that an answer shows to have changed; False where nothing was done."""
        changed = sorted(set(paths))
        if not changed or self._means.manager.state().elsewhere:
            return False
        try:
            limit = budget.within(_UPDATE_SECONDS)
            self._means.manager.refresh_paths(changed, limit, deep=True)
        except Problem as problem:  # another process indexes: the answer says what is stale
            if problem.code == "cancelled":
                raise
            return False
        return True

    def progress(self) -> str:
        """How far a run has come, in brackets; empty while there is none."""
        now = self._means.manager.state().progress
        return "" if now is None else f" ({said(now)})"

    def _usable(self, budget: Budget) -> IndexView:
        """The index, compared with the files if this process has not: that is waited for a moment.

        One look at the disk where nothing is left to wait for, as most calls find it.
        """
        means = self._means
        patience = means.settings.first_answer_seconds
        held = self.held()
        if held.snapshot is not None and held.complete:
            if held.walked or held.snapshot.file_count > _SOON_COMPARED:
                return held
            patience = min(patience, _COMPARING_SECONDS)
        return self.awaited(budget.within(patience))


def said(now: Progress) -> str:
    """How far a run has come."""
    return f"{now.phase} {now.files} of {now.all_files} files, {now.seconds:.0f} s so far"
