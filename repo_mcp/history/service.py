"""The histories of the roots that are served: brought up to date, and opened for a question.

A question waits for a few new commits; of a history that is not indexed yet it gets the last
commits that are, while a thread goes on with the others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Final

from index_format import CorruptIndexError
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history.commit_index import CommitIndex
from repo_mcp.history.file_status import FileStatus
from repo_mcp.history.file_votes import MOST_VOTERS
from repo_mcp.history.past_changes import RootsPast, RootVotes
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.history.working_tree import Checkout, KnownStatus
from repo_mcp.indexing.keep.history_index import HistoryProgress
from repo_mcp.indexing.keep.index_source import ProgressCallback
from repo_mcp.indexing.keep.keeper import IndexFault, raise_problems
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import AnswerWarning, Progress
from repo_mcp.safety.denylist import Denylist

# a question waits so long for a first index, and for new commits
WAIT_SECONDS: Final = 20.0
# a first index is waited for as long as it takes
PATIENT: Final = 86_400.0
_POLL: Final = 0.05
# the code of a warning: not all commits are there
HISTORY_DAMAGED: Final = "history_damaged"


class OpenHistory(NamedTuple):
    """The history of one root, for one question."""

    # what the paths of the root begin with
    prefix: str
    history: RepositoryHistory
    # None where no commit is indexed: `.git` alone answers
    commits: CommitIndex | None
    warnings: tuple[AnswerWarning, ...]
    # parses old texts
    manager: IndexManager


class RootHistory:
    """The history of one root."""

    def __init__(
        self,
        manager: IndexManager,
        prefix: str = "",
        seconds: float = WAIT_SECONDS,
        *,
        stays: bool = True,
        told: ProgressCallback = lambda _: None,
    ) -> None:
        """Reads nothing yet. A question waits for commits for so many seconds.

        If the process `stays`, an index grows behind an answer that does without. The progress is
        `told` in the thread that indexes.
        """
        self._manager = manager
        self._seconds = seconds
        self._stays = stays
        self._told = told
        self.prefix = prefix
        recipe = manager.recipe_of_workers
        denylist = Denylist(recipe.deny_globs, recipe.entries)
        self.history = RepositoryHistory(manager.root, denylist, manager.sandbox, manager.branches)
        self.votes = RootVotes(manager, self.history)
        self._status = FileStatus()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._failure: Problem | None = None
        self._progress: Progress | None = None
        self._opened: CommitIndex | None = None

    def open(self, budget: Budget, *, needs_index: bool = True) -> OpenHistory:
        """The history, after waiting for new commits to be indexed.

        Where no index is needed a first one is not waited for: `.git` alone answers.
        """
        git = self.history.git
        if git.unread or not git.head():
            return OpenHistory(self.prefix, self.history, None, (), self._manager)
        if self._is_current():
            return self._open(is_current=True)
        if not needs_index and not self._was_complete():
            if self._stays:
                self._start()
            return self._unindexed()
        self._start()
        limit = budget.within(self._seconds)
        while not limit.spent and self.is_running:
            budget.check()
            self._join(_POLL)
        is_current = self._is_current()
        return self._open(is_current=is_current) if needs_index or is_current else self._unindexed()

    def peek(self) -> OpenHistory | None:
        """The history if it is indexed; else None, and a process that stays indexes it."""
        git = self.history.git
        if git.unread or not git.head():
            return None
        if self._is_current():
            return self._open(is_current=True)
        if self._stays:
            self._start()
        return None

    def keep_up(self, budget: Budget) -> None:
        """Index the last commits, as many as vote in searches, and make their votes ready."""
        git = self.history.git
        if git.unread or not git.head() or self.is_running:
            return
        try:
            if not self._is_current():
                self._manager.history.refresh(git, budget, most=MOST_VOTERS)
            self.votes.keep_up(budget)
        except CorruptIndexError:  # the next time it is made anew
            self._manager.history.drop(IndexFault.DAMAGED)

    def checkout(self, budget: Budget, *, is_current: bool = False) -> Checkout:
        """The files as they are now; if the index `is_current`, it has seen all that has changed.

        One thread at a time, as long as it is `reading` the history.
        """
        known = KnownStatus(self._status, self._manager, is_current)
        return Checkout(self._manager.sandbox, self._manager.discovery(), budget, known)

    @property
    def is_running(self) -> bool:
        """True while commits are indexed."""
        return self._thread is not None and self._thread.is_alive()

    def close(self) -> None:
        """Stop indexing."""
        self._closed = True
        thread = self._thread
        if thread is not None:
            thread.join()
        self.votes.close()
        with self._lock:
            self._opened = None
        self.history.objects.close()

    def _is_current(self) -> bool:
        with raise_problems():
            return self._manager.history.is_current(self.history.git)

    def _was_complete(self) -> bool:
        """True if the index has all commits but new ones."""
        with raise_problems():
            found = self._manager.history.snapshot()
        return found is not None and HistoryProgress.of(found).complete

    def _unindexed(self) -> OpenHistory:
        """The history as `.git` alone tells it."""
        return OpenHistory(self.prefix, self.history, None, tuple(self._cut_off()), self._manager)

    def _cut_off(self) -> Iterator[AnswerWarning]:
        if self.history.git.is_shallow:
            text = "this is a shallow clone: its history begins where that was cut off"
            yield AnswerWarning("history_shallow", text)

    def _join(self, seconds: float) -> None:
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _start(self) -> None:
        with self._lock:
            if self.is_running or self._closed:
                return
            self._failure = None
            self._thread = threading.Thread(target=self._refresh, name="history", daemon=True)
            self._thread.start()

    def _refresh(self) -> None:
        def progress(now: Progress) -> None:
            self._progress = now
            self._told(now)

        try:
            self._manager.history.refresh(
                self.history.git, Budget(cancelled=lambda: self._closed), progress
            )
        except Problem as problem:
            self._failure = problem.with_traceback(None)
        except CorruptIndexError:
            self._manager.history.drop(IndexFault.DAMAGED)
        finally:
            self._progress = None

    def _open(self, *, is_current: bool) -> OpenHistory:
        keeper = self._manager.history
        with raise_problems():
            snapshot = keeper.snapshot()
        warnings = [] if (notice := keeper.take_notice()) is None else [notice]
        with self._lock:
            opened = self._opened
            if snapshot is None:
                opened = None
            elif opened is None or opened.snapshot.generation != snapshot.generation:
                opened = CommitIndex(snapshot)
            self._opened = opened
        progress = None if opened is None else HistoryProgress.of(opened.snapshot)
        if progress is not None and progress.has_gaps and opened is not None:
            text = (
                f"older commits than the last {len(opened.table):,} can't be read: `git fsck` tells"
                " what is damaged"
            )
            warnings.append(AnswerWarning(HISTORY_DAMAGED, text))
        elif not is_current:
            warnings.append(AnswerWarning("history_partial", self._state(opened)))
        elif progress is not None and progress.cut and opened is not None:
            text = f"the last {len(opened.table):,} commits are indexed, older ones are not asked"
            warnings.append(AnswerWarning("history_cut", text))
        warnings += self._cut_off()
        return OpenHistory(self.prefix, self.history, opened, tuple(warnings), self._manager)

    def _state(self, opened: CommitIndex | None) -> str:
        there = 0 if opened is None else len(opened.table)
        if self._failure is not None:
            return f"commits could not be indexed: {self._failure.reason}"
        now = self._progress
        if now is None:
            return f"{there:,} commits are indexed, others are not yet"
        left = now.all_files - now.files
        return f"the last {there:,} commits are indexed; {left:,} older ones follow"


class Histories:
    """The histories of all roots."""

    def __init__(
        self,
        managers: Mapping[str, IndexManager],
        seconds: float = WAIT_SECONDS,
        *,
        stays: bool = True,
        told: ProgressCallback = lambda _: None,
    ) -> None:
        """Reads nothing; keys are what the paths of a root begin with."""
        self.roots = {
            prefix: RootHistory(manager, prefix, seconds, stays=stays, told=told)
            for prefix, manager in managers.items()
        }

    @property
    def past(self) -> RootsPast:
        """Their changes, as ranked search asks for them."""
        return RootsPast({prefix: root.votes for prefix, root in self.roots.items()})

    def of_path(self, path: str) -> tuple[list[RootHistory], str]:
        """The roots that a path may be of, and the path there; all roots for an empty one."""
        if not path:
            return list(self.roots.values()), ""
        for prefix, root in self.roots.items():
            if path.startswith(prefix):
                return [root], path[len(prefix) :]
        named = [root for prefix, root in self.roots.items() if prefix.rstrip("/") == path]
        return (named, "") if named else (list(self.roots.values()), path)

    def close(self) -> None:
        """Stop indexing."""
        for root in self.roots.values():
            root.close()
