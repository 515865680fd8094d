"""A background thread that keeps the index fresh; requests queue refreshes and may wait for them.

It walks on request, refreshes single files that the watcher reports, and merges segments when
nothing else is queued. Failures are kept for `failure` and `notes`, and retried later.
"""

from __future__ import annotations

import gc
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from index_format.records import replace
from repo_mcp.allocator import release_freed_memory
from repo_mcp.budget import Budget, Clock
from repo_mcp.console import log_place
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.changes import ANY_FILE
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.keep.refresh import SYMBOLS
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.model import RefreshResult

# how long the last walk counts as fresh, without and with a watcher
_FRESH_SECONDS: Final = 3.0
_FRESH_SECONDS_WATCHED: Final = 120.0
# the time between walks is at least this many times the last walk's duration
_WALK_SHARE: Final = 10.0
# unless a question waits for one that takes no longer than this
_SHORT_WALK: Final = 0.3
# above this many changed files, a walk is faster
_MOST_PATHS: Final = 256
_T = TypeVar("_T")
_POLL: Final = 0.02
# of several servers one indexes what is edited: another one that has come too late so often in a
# row lets reports gather for so long
_LATE_RUNS: Final = 3
_FOLLOW_SECONDS: Final = 2.0
# before copying goes on that the place or a writer has stopped; then a later process does
_COPY_PAUSES: Final = (5.0, 15.0, 60.0, *[300.0] * 12)
# a run that takes longer than this is not waited for: changes are watched meanwhile
_LISTEN_AFTER: Final = 0.5
_BACK_OFF: Final = 5.0


class BackgroundRefresh:
    """Refreshes one index in a thread, which starts with the first request."""

    def __init__(
        self,
        manager: IndexManager,
        watcher: Watcher | None,
        clock: Clock = time.monotonic,
        *,
        links: float = 0,
    ) -> None:
        """Keep the arguments; starts no thread. The graph of up to `links` files follows refreshes.

        That of a larger tree does from the first question to it.
        """
        self._links = links
        # whether the graph has to follow a refresh, and whether it does so now
        self._link_due = links == math.inf
        # whether it has to follow once more, after what it follows now
        self._link_again = False
        # the generation in which files that linking found changed were last refreshed
        self._followed = -1
        self._is_listening = False
        self._manager = manager
        self._watcher = watcher
        self._clock = clock
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._requested = self._finished = 0
        self._is_refreshing = False
        # the last request for which a run has compared all files
        self._compared = 0
        self._force = False
        self._paths: set[str] = set()
        # since when there are any, and how often in a row another process had indexed them
        self._reported_at = 0.0
        self._late_runs = 0
        # calls that wait for what was reported
        self._waiting = 0
        self._tidy_due = False
        self._walked_at = self._walk_seconds = 0.0
        # whether the last walk ended early: changes that were reported to it may be lost
        self._walk_failed = False
        self._outcome: RefreshResult | Problem | None = None
        # why the graph could not be linked the last time
        self._link_failure: Problem | None = None
        # copies what is read where it was published, so that no refresh waits for that
        self._copier: threading.Thread | None = None
        self._copy_due = False
        self._copy_failure: Problem | None = None
        # results of the runs during each waiting call, by its ticket
        self._runs_by_ticket: dict[int, list[RefreshResult]] = {}

    @property
    def watching(self) -> bool:
        """True if the watcher reports changes as they happen."""
        return self._watcher is not None and self._watcher.active

    @property
    def has_walked(self) -> bool:
        """True if files and index have been compared since this process started."""
        return self._walked_at > 0 or self._has_all_words() or self._manager.is_whole

    @property
    def failure(self) -> Problem | None:
        """Why the last refresh failed, if it did."""
        return self._outcome if isinstance(self._outcome, Problem) else None

    @property
    def notes(self) -> list[str]:
        """Warnings for the user: why nothing is watched, why the last refresh failed."""
        found = []
        if self._watcher is not None and self._watcher.reason:
            found.append(f"file watching is off; walks find changes: {self._watcher.reason}")
        if self._copy_failure is not None:
            reason = self._copy_failure.reason
            found.append(f"the published index is still read at its address: {reason}")
        if isinstance(self._outcome, Problem):
            found.append(f"the last refresh failed: {self._outcome.reason}. {self._outcome.hint}")
        if self._link_failure is not None:
            failure = self._link_failure
            found.append(f"the symbol graph was not linked: {failure.reason}. {failure.hint}")
        return found

    def freshen(self) -> None:
        """Queue a walk if the last one is too old, and what a request left to do; doesn't wait."""
        if self._manager.is_whole:
            return
        with self._changed:
            told = self.watching and not self._walk_failed
            least = _FRESH_SECONDS_WATCHED if told else _FRESH_SECONDS
            if self._manager.writer.untidy:  # a request has refreshed files that it found changed
                self._tidy_due = True
                self._start()
                self._changed.notify_all()
            age = self._clock() - self._walked_at
            if self._requested == self._finished and age > max(
                least, self._walk_seconds * _WALK_SHARE
            ):
                self._request()

    def look_at(self, paths: Iterable[str]) -> None:
        """Queue a refresh of these files; doesn't wait."""
        with self._changed:
            if not self._paths:
                self._reported_at = self._clock()
            self._paths.update(paths)
            if len(self._paths) > _MOST_PATHS:
                self._paths.clear()
                self._request()
            self._start()
            self._changed.notify_all()

    def walk(self) -> None:
        """Queue a walk, unless none is needed; doesn't wait."""
        if not self._manager.is_whole:
            with self._changed:
                self._request()

    def refresh(self, budget: Budget, *, force: bool = False) -> RefreshResult:
        """Walk, and wait until it ends or the budget is spent; it continues in the background.

        Returns the sum of what all runs did during the wait.
        """
        if not force and self._manager.is_whole:
            return self._manager.refresh(budget)
        runs_seen: list[RefreshResult] = []
        started = time.monotonic()
        with self._changed:
            self._force = self._force or force
            ticket = self._request()
            self._runs_by_ticket[ticket] = runs_seen
        try:
            finished = self._wait(ticket, budget)
        finally:
            with self._changed:
                del self._runs_by_ticket[ticket]
        runs = runs_seen if finished else [*runs_seen, *self._partial_result()]
        return _combine(runs, time.monotonic() - started, finished=finished)

    def _partial_result(self) -> list[RefreshResult]:
        """The result of the running refresh so far, or else the state of the index."""
        now = self._manager.published()
        if now is not None:
            return [now]
        state = self._manager.state()
        return [RefreshResult(0, 0, 0, state.files, 0.0, state.last_refresh, complete=False)]

    def wait_until_ready(self, budget: Budget) -> None:
        """Compare files and index, build the index if there is none, and wait for it.

        Returns early once an index that was missing or partial has all words, and at the latest
        when the budget is spent.
        """
        if self._manager.is_whole:
            return
        incomplete = self._manager.state().status != "ready"
        with self._changed:
            ticket = self._request() if self._requested == self._finished else self._requested

        def enough() -> bool:
            ready = self._manager.state().status == "ready"
            return (incomplete and ready) or self._has_all_words()

        self._wait(ticket, budget, enough)

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Have these files indexed before all others, and wait until the budget is spent for it."""
        with self._changed:  # a walk that begins takes what was reported before as done
            while not (self._is_refreshing or self._requested == self._finished or budget.spent):
                budget.check()
                self._changed.wait(_POLL)
        self.look_at(paths)
        with self._hurry():
            self._wait_until_indexed(paths, budget)

    def _wait_until_indexed(self, paths: Sequence[str], budget: Budget) -> None:
        generation: int | None = None
        while not budget.spent:
            budget.check()
            with self._changed:
                self._changed.wait(_POLL)
                taken = self._paths.isdisjoint(paths)
            if self.failure is not None or self._manager.state().elsewhere:
                return
            snapshot = self._manager.snapshot()
            now = 0 if snapshot is None else snapshot.manifest.generation
            if snapshot is not None and all(map(snapshot.find, paths)):
                return
            generation = now if taken and generation is None else generation
            # those that are left out are in no generation
            if generation is not None and now > generation + 1:
                return

    @contextmanager
    def _hurry(self) -> Iterator[None]:
        """Have what was reported indexed at once."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._waiting -= 1

    def rebuild(self, budget: Budget, file: str = "") -> None:  # noqa: ARG002 there is one index
        """Rebuild a damaged index in the caller's thread; the graph follows."""
        self._manager.rebuild(budget, _BackgroundRun(self))
        self.relink()

    def catch_up(self, budget: Budget) -> bool:
        """Bring the index to the files as they are now; False if there is no time for that.

        The watcher tells what has changed. Without one a walk finds it, if walks are short or the
        last one is long ago.
        """
        if self._manager.is_whole:
            return True
        watcher, told = self._watcher, self.watching and not self._walk_failed
        if told and self._walked_at and watcher is not None and watcher.report_all(budget):
            return self._wait_while_refreshing(budget)
        with self._changed:
            age = self._clock() - self._walked_at
            if self._walk_seconds > _SHORT_WALK and age < self._walk_seconds * _WALK_SHARE:
                return False
            ticket = self._request()
        try:
            return self._wait(ticket, budget)
        except Problem as problem:
            if problem.code in {"cancelled", "reopened"}:
                raise
            return False

    def _wait_while_refreshing(self, budget: Budget) -> bool:
        """Wait until what was reported is indexed; False if the budget is spent before."""
        with self._hurry(), self._changed:
            while self._is_refreshing or self._paths or self._requested > self._finished:
                budget.check()
                if self._closed:
                    raise Problem("reopened")
                if budget.spent:
                    return False
                self._changed.wait(_POLL)
            return self.failure is None

    def _has_all_words(self) -> bool:
        """True if the running refresh has published all words and is only parsing now."""
        progress = self._manager.state().progress
        return progress is not None and progress.phase == SYMBOLS

    def relink(self) -> None:
        """Let the graph follow the text again; doesn't wait."""
        with self._changed:
            self._link_again = self._links_by_itself()
            self._link_due |= self._link_again
            self._start()
            self._changed.notify_all()

    def wait_until_linked(self, budget: Budget) -> bool:
        """Wait until the graph follows the text; False if the budget is spent before."""
        with self._hurry(), self._changed:
            if self._requested == self._finished and not self.has_walked:
                self._request()
            # a request may have refreshed files by itself
            asked, self._links = self._links == math.inf, math.inf
            if not (asked and (self._is_busy() or self._manager.graph().current)):
                self._link_due = True
            self._start()
            self._changed.notify_all()
            while not self._closed:
                if not self._is_busy():
                    if self._manager.graph().current:
                        return True
                    if self._lags():
                        self._link_due = True
                        self._changed.notify_all()
                budget.check()
                failure = self.failure or self._link_failure
                if budget.spent or (not self._is_busy() and failure is not None):
                    return False
                self._changed.wait(_POLL)
        raise Problem("reopened")

    def _lags(self) -> bool:
        """True if the text has changed since the last link without a refresh of this thread."""
        return False

    def _is_busy(self) -> bool:
        return self._link_due or self._has_work()

    def close(self) -> None:
        """Ask the thread to stop, and close watcher and workers."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._watcher is not None:
            self._watcher.close()
        self._manager.close()

    def _request(self) -> int:
        self._requested += 1
        self._start()
        self._changed.notify_all()
        return self._requested

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="indexer", daemon=True)
            self._thread.start()
            self.copy_soon()

    def copy_soon(self) -> None:
        """Copy what of the index is read where it was published, in a thread of its own."""
        with self._changed:
            self._copy_due = self._manager.copies and not self._closed
            if self._copy_due and self._copier is None:
                self._copier = threading.Thread(target=self._copy, name="copier", daemon=True)
                self._copier.start()

    def _copy(self) -> None:
        while self._take_copy():
            for pause in _COPY_PAUSES:
                if self._copy_once():
                    break
                with self._changed:
                    if self._changed.wait_for(lambda: self._closed or self._copy_due, pause):
                        break

    def _take_copy(self) -> bool:
        """True if there may be something to copy; else this was the last the thread did."""
        with self._changed:
            due, self._copy_due = self._copy_due and not self._closed, False
            if not due:
                self._copier = None
            return due

    def _copy_once(self) -> bool:
        """Copy what can be copied now; whether nothing is left."""
        if not self._manager.copies:
            return True
        found = self._attempt(lambda: self._manager.copy(self._budget()))
        with self._changed:
            failure = found if isinstance(found, Problem) else None
            copied, left = (0, 1) if isinstance(found, Problem) else found
            self._copy_failure = failure
            self._tidy_due = self._tidy_due or copied > 0  # what is here can be merged and lent
            self._changed.notify_all()
            return not left

    def _wait(
        self, ticket: int, budget: Budget, enough: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait for the run with this ticket; whether it ended before the budget did."""
        with self._changed:
            while self._finished < ticket:
                budget.check()
                if self._closed:
                    raise Problem("reopened")
                if budget.spent or enough():
                    return False
                self._changed.wait(_POLL)
            if isinstance(self._outcome, Problem):
                raise Problem("reopened") if self._closed else _copy(self._outcome)
            return True

    def _work(self) -> None:
        while self._wait_for_work():
            with self._changed:
                is_link = not self._has_work()
                ticket, force = self._requested, self._force
                tidies = self._tidy_due
                paths: set[str] = set()
                if not is_link:
                    self._force = self._tidy_due = False
                    paths, self._paths = self._paths, paths
                    self._is_refreshing = True
            if is_link:
                self._link()
                continue
            done = self._refresh(ticket, paths, force=force)
            with self._changed:
                self._is_refreshing = False
                self._link_due |= self._links_by_itself() and not self._follows
                self._changed.notify_all()
            if done:
                if self._outcome_is_partial():
                    self.walk()
                self._tidy(asked=tidies)

    def _links_by_itself(self) -> bool:
        """True if the graph follows a refresh, though perhaps nobody has asked it."""
        if self._links in {0, math.inf}:
            return bool(self._links)
        found = self._manager.snapshot()
        return found is not None and 0 < found.file_count <= self._links

    def _outcome_is_partial(self) -> bool:
        """True if the last run has left files that were changed meanwhile."""
        return isinstance(self._outcome, RefreshResult) and not self._outcome.complete

    def _listen(self) -> bool:
        """Start the watcher, unless there is none or it was started; whether it starts now."""
        if self._is_listening or self._watcher is None:
            return False
        self._is_listening = True
        self._watcher.start(self, self._manager.text.walked_folders)
        return True

    def take_edits(self, started: float) -> Sequence[str]:
        """The files that were reported while a run goes on, which began at this time.

        A walk that was requested meanwhile, say because all folders are watched from now on, also
        follows the run; but that may go on for minutes.
        """
        with self._changed:
            if self._clock() - started >= _LISTEN_AFTER:
                self._listen()
            paths, self._paths = self._paths, set()
            if self._requested > self._compared:
                self._compared = self._requested
                paths.add(ANY_FILE)
        return sorted(paths)

    def _wait_for_work(self) -> bool:
        """Wait until there is something to do; False once this is closed."""
        with self._changed:
            while not self._closed and not self._has_work():
                # it reads every folder of the tree, so it starts after the first answer
                if self._listen():
                    continue
                if self._link_due:
                    break
                self._changed.wait(self._seconds_left() if self._paths else None)
            return not self._closed

    def _link(self) -> None:
        """Link what the graph lacks; stops for other work, and is resumed after it."""
        self._link_again = False
        budget = Budget(None, lambda: self._closed or self._has_work(), self._clock)
        outcome = self._attempt(lambda: self._manager.link(budget, _BackgroundRun(self)))
        with self._changed:
            if not self._has_work():
                self._link_due = self._link_again
                problem = outcome if isinstance(outcome, Problem) else None
                self._link_failure = problem if problem and problem.code != "cancelled" else None
            self._changed.notify_all()
        if not isinstance(outcome, Problem) and outcome:
            self._follow(outcome)
        gc.collect()  # the parts of a linker know each other, and hold the snapshot that it read
        release_freed_memory()

    def _follow(self, changed: Sequence[str]) -> None:
        """Refresh files that have changed before they were linked, once in each generation."""
        generation = self._manager.state().generation
        if generation != self._followed:
            self._followed = generation
            self.look_at(changed)

    def _has_work(self) -> bool:
        if self._requested > self._finished or self._tidy_due:
            return True
        return bool(self._paths) and (self._waiting > 0 or self._seconds_left() <= 0)

    def _seconds_left(self) -> float:
        """The time for which reports of edits gather."""
        return self._reported_at + _FOLLOW_SECONDS - self._clock() if self._follows else 0.0

    def _refresh(self, ticket: int, paths: set[str], *, force: bool) -> bool:
        """Refresh what was asked for, if anything; returns whether that succeeded."""
        if ticket > self._finished:
            return self._walk(ticket, force=force)
        return not paths or self._refresh_paths(paths)

    def _walk(self, ticket: int, *, force: bool) -> bool:
        started = self._clock()
        self._compared = ticket
        last = self._attempt(lambda: self._compare(started, force=force))
        with self._changed:
            self._walked_at = self._clock()
            self._walk_seconds = self._walked_at - started
            self._walk_failed = isinstance(last, Problem)
            # requests made during a failed run would fail in the same way
            self._finished = self._requested if isinstance(last, Problem) else ticket
            return self._report(last)

    def _compare(self, started: float, *, force: bool) -> RefreshResult:
        """Bring the index to all files as they are now, in a run that began at this time."""
        run = _BackgroundRun(self, started)
        return self._manager.refresh(self._budget(), run, force=force, wait_for_writer=True)

    def _refresh_paths(self, paths: set[str]) -> bool:
        last = self._attempt(
            lambda: self._manager.refresh_paths(sorted(paths), self._budget(), deep=True)
        )
        with self._changed:
            done = self._report(last)
            if isinstance(last, RefreshResult):
                self._note_others(last, len(paths))
            if not done:
                self._paths |= paths
                self._changed.wait(_BACK_OFF)
        return done

    def _note_others(self, last: RefreshResult, reported: int) -> None:
        """Follow another process that indexes what is reported, until it does so no more.

        The last one of the reports that gathered may come before that process has seen it.
        """
        done = last.added + last.updated + last.removed
        is_late = done * 2 <= reported if self._follows else not done
        self._late_runs = self._late_runs + 1 if is_late and self._manager.writer.overtaken else 0

    @property
    def _follows(self) -> bool:
        """True if another process indexes what is edited."""
        return self._late_runs >= _LATE_RUNS

    def _report(self, last: RefreshResult | Problem) -> bool:
        """Keep a run's outcome and notify waiting calls; returns whether it succeeded."""
        self._outcome = last
        done = isinstance(last, RefreshResult)
        if isinstance(last, RefreshResult):
            for runs_seen in self._runs_by_ticket.values():
                runs_seen.append(last)
        self._changed.notify_all()
        return done

    def _tidy(self, *, asked: bool) -> None:
        """Merge what a run has published, and free what it used."""
        run = _BackgroundRun(self)
        if asked or self._manager.writer.untidy:
            self._attempt(lambda: self._manager.tidy(self._budget(), run, stop=self._has_work))
        self._manager.pools.shrink(PoolUse.INDEXING)
        release_freed_memory()

    def _attempt(self, work: Callable[[], _T]) -> _T | Problem:
        try:
            return work()
        except Problem as problem:
            return _copy(problem)
        except Exception as error:  # noqa: BLE001 the thread must survive; the log has the place
            log_place(error)
            return Problem("internal")

    def _budget(self) -> Budget:
        return Budget(None, lambda: self._closed, self._clock)


class _BackgroundRun(RunListener):
    """A run of a thread; one that `started` then indexes files that are reported meanwhile."""

    def __init__(self, background: BackgroundRefresh, started: float | None = None) -> None:
        self._background = background
        self._started = started

    def on_first_index(self) -> None:
        """Copy it beside the run."""
        self._background.copy_soon()

    def take_edits(self) -> Sequence[str]:
        """The files that were reported."""
        return () if self._started is None else self._background.take_edits(self._started)


def _copy(problem: Problem) -> Problem:
    """The problem without its traceback, whose frames would keep alive what is closed."""
    return Problem(problem.code, problem.detail)


def _combine(runs: Sequence[RefreshResult], seconds: float, *, finished: bool) -> RefreshResult:
    """The last run's result with the counts of all runs added up."""
    return replace(
        runs[-1],
        added=sum(run.added for run in runs),
        updated=sum(run.updated for run in runs),
        removed=sum(run.removed for run in runs),
        seconds=seconds,
        waited=sum(run.waited for run in runs),
        complete=finished and runs[-1].complete,
    )
