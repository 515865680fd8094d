"""A background thread that keeps the index fresh; requests queue refreshes and may wait for them.

It walks on request, refreshes single files that the watcher reports, and merges segments when
nothing else is queued. Failures are kept for `failure` and `notes`, and retried later.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from index_format.records import replace
from repo_mcp.allocator import release_freed_memory
from repo_mcp.budget import Budget, Clock
from repo_mcp.console import log_place
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.changes import ANY_FILE
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.keep.refresh import SYMBOLS
from repo_mcp.indexing.keep.requests import GraphRequests, ReportedEdits, WalkRequests
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.model import RefreshResult

if TYPE_CHECKING:
    from repo_mcp.indexing.keep.function_encoding import FunctionEncoding

# how long the last walk counts as fresh, without and with a watcher
_FRESH_SECONDS: Final = 3.0
_FRESH_SECONDS_WATCHED: Final = 120.0
# a question waits for a walk that takes no longer than this, however often
_SHORT_WALK: Final = 0.3
_T = TypeVar("_T")
# what is done for a root
IdleWork = Callable[[str, Budget], None]
_POLL: Final = 0.02
# before copying goes on that the place or a writer has stopped; then a later process does
_COPY_PAUSES: Final = (5.0, 15.0, 60.0, *[300.0] * 12)
# a run that takes longer than this is not waited for: changes are watched meanwhile
_LISTEN_AFTER: Final = 0.5
_BACK_OFF: Final = 5.0


class BackgroundRefresh:
    """Refreshes one index in a thread, which starts with the first request."""

    def __init__(
        self,
        manager: Indexes,
        watcher: Watcher | None,
        clock: Clock = time.monotonic,
        *,
        links: float = 0,
        worker: IndexWorker | None = None,
    ) -> None:
        """Keep the arguments; starts no thread. The graph of up to `links` files follows refreshes.

        That of a larger tree does from the first question to it. The `worker` of several roots is
        one of its own kind.
        """
        self._manager = manager
        self._watcher = watcher
        self._clock = clock
        self._worker = worker or IndexWorker(manager, watcher, clock, links)

    @property
    def watching(self) -> bool:
        """True if the watcher reports changes as they happen."""
        return self._watcher is not None and self._watcher.active

    def run_when_idle(self, work: IdleWork, root: str = "") -> None:
        """Have this done for the root after each refresh, when there is nothing else to do.

        It comes before what was named earlier.
        """
        self._worker.idle.insert(0, partial(work, root))
        self._worker.idle_is_due = True

    @property
    def encoding(self) -> FunctionEncoding | None:
        """Encodes functions in the background; None where the settings name no encoder."""
        return self._worker.encoding

    @property
    def has_walked(self) -> bool:
        """True if files and index have been compared since this process started."""
        return self._worker.walks.ended_at > 0 or self._has_all_words() or self._manager.is_whole

    @property
    def failure(self) -> Problem | None:
        """Why the last refresh failed, if it did."""
        return self._worker.outcome if isinstance(self._worker.outcome, Problem) else None

    @property
    def notes(self) -> list[str]:
        """Warnings for the user: why nothing is watched, why the last refresh failed."""
        found = []
        if self._watcher is not None and self._watcher.reason:
            found.append(f"file watching is off; walks find changes: {self._watcher.reason}")
        copier = self._worker.copier
        if copier is not None and copier.failure is not None:
            reason = copier.failure.reason
            found.append(f"the published index is still read at its address: {reason}")
        outcome, failure = self._worker.outcome, self._worker.graph.failure
        if isinstance(outcome, Problem):
            found.append(f"the last refresh failed: {outcome.reason}. {outcome.hint}")
        if failure is not None:
            found.append(f"the symbol graph was not linked: {failure.reason}. {failure.hint}")
        return found

    def freshen(self) -> None:
        """Queue a walk if the last one is too old, and what a request left to do; doesn't wait."""
        if self._manager.is_whole:
            return
        with self._worker.changed:
            if self._worker.is_untidy:  # a request has refreshed files that it found changed
                self._worker.tidy_due = True
                self._worker.wake()
            least = _FRESH_SECONDS_WATCHED if self._hears_all else _FRESH_SECONDS
            if not self._worker.walks.is_open and self._worker.walks.is_older(self._clock(), least):
                self._worker.request()

    @property
    def _hears_all(self) -> bool:
        """True if the watcher reports all that has changed since the last walk."""
        return self.watching and not self._worker.walks.has_failed

    def look_at(self, paths: Iterable[str]) -> None:
        """Queue a refresh of these files; doesn't wait."""
        self._worker.look_at(paths)

    def walk(self) -> None:
        """Queue a walk, unless none is needed; doesn't wait."""
        self._worker.walk()

    def refresh(self, budget: Budget, *, force: bool = False) -> RefreshResult:
        """Walk, and wait until it ends or the budget is spent; it continues in the background.

        Returns the sum of what all runs did during the wait.
        """
        if not force and self._manager.is_whole:
            return self._manager.refresh(budget)
        runs_seen: list[RefreshResult] = []
        started = time.monotonic()
        with self._worker.changed:
            ticket = self._worker.request(force=force)
            self._worker.walks.results[ticket] = runs_seen
        try:
            finished = self._wait_for_walk(ticket, budget)
        finally:
            with self._worker.changed:
                del self._worker.walks.results[ticket]
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
        with self._worker.changed:
            walks = self._worker.walks
            ticket = walks.requested if walks.is_open else self._worker.request()

        def enough() -> bool:
            ready = self._manager.state().status == "ready"
            return (incomplete and ready) or self._has_all_words()

        self._wait_for_walk(ticket, budget, enough)

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Have these files indexed before all others, and wait until the budget is spent for it."""
        worker = self._worker
        with worker.changed:  # a walk that begins takes what was reported before as done
            worker.wait(budget, lambda: worker.is_refreshing or not worker.walks.is_open)
            before, generation = worker.outcome, -1
        self.look_at(paths)

        def is_done() -> bool:
            nonlocal generation
            has_failed = self.failure is not None and worker.outcome is not before
            if has_failed or self._manager.state().elsewhere:
                return True
            snapshot = self._manager.snapshot()
            if snapshot is not None and all(map(snapshot.find, paths)):
                return True
            now = 0 if snapshot is None else snapshot.manifest.generation
            if generation < 0 and worker.edits.paths.isdisjoint(paths):
                generation = now
            # those that are left out are in no generation
            return 0 <= generation < now - 1

        with worker.hurry():
            worker.wait(budget, is_done)

    def rebuild(self, budget: Budget, file: str = "") -> None:  # noqa: ARG002 there is one index
        """Rebuild a damaged index in the caller's thread; the graph follows."""
        self._manager.rebuild(budget, _BackgroundRun(self._worker))
        self.relink()

    def catch_up(self, budget: Budget) -> bool:
        """Bring the index to the files as they are now; False if there is no time for that.

        The watcher tells what has changed. Without one a walk finds it, if walks are short or the
        last one is long ago.
        """
        if self._manager.is_whole:
            return True
        watcher, walks = self._watcher, self._worker.walks
        if (
            watcher is not None
            and self._hears_all
            and walks.ended_at
            and watcher.report_all(budget)
        ):
            with self._worker.hurry():
                is_done = self._worker.wait(budget, lambda: not self._worker.has_reports())
                return is_done and self.failure is None
        with self._worker.changed:
            if walks.seconds > _SHORT_WALK and not walks.is_older(self._clock(), 0.0):
                return False
            ticket = self._worker.request()
        try:
            return self._wait_for_walk(ticket, budget)
        except Problem as problem:
            if problem.code in {"cancelled", "reopened"}:
                raise
            return False

    def _has_all_words(self) -> bool:
        """True if the running refresh has published all words and is only parsing now."""
        progress = self._manager.state().progress
        return progress is not None and progress.phase == SYMBOLS

    def relink(self) -> None:
        """Let the graph follow the text again; doesn't wait."""
        with self._worker.changed:
            self._worker.graph.request_again()
            self._worker.wake()

    def wait_until_linked(self, budget: Budget) -> bool:
        """Wait until the graph follows the text; False if the budget is spent before."""
        worker, is_linked = self._worker, False

        def is_done() -> bool:
            nonlocal is_linked
            if worker.is_busy():
                return False
            is_linked = self._manager.graph().current
            if not is_linked and worker.lags():
                worker.graph.is_due = True
                worker.changed.notify_all()
                return False
            return is_linked or (self.failure or worker.graph.failure) is not None

        with worker.hurry():
            if not worker.walks.is_open and not self.has_walked:
                worker.request()
            # a request may have refreshed files by itself
            if not (
                worker.graph.has_been_asked()
                and (worker.is_busy() or self._manager.graph().current)
            ):
                worker.graph.is_due = True
            worker.wake()
            return worker.wait(budget, is_done) and is_linked

    def close(self) -> None:
        """Ask the thread to stop, and close watcher and workers."""
        self._worker.close()

    def _wait_for_walk(
        self, ticket: int, budget: Budget, enough: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait for the walk with this ticket; whether it ended before the budget did."""
        worker = self._worker
        with worker.changed:
            worker.wait(budget, lambda: worker.walks.finished >= ticket or enough())
            if worker.walks.finished < ticket:
                return False
            if isinstance(worker.outcome, Problem):
                raise Problem("reopened") if worker.is_closed else _bare(worker.outcome)
            return True


class IndexWorker:
    """A thread that brings an index up to date, merges it and links its graph, in this order.

    It starts with the first request. Who asks it holds the lock, and is woken by each change.
    """

    def __init__(
        self, manager: Indexes, watcher: Watcher | None, clock: Clock, links: float
    ) -> None:
        """Keep the arguments; starts no thread. The graph of up to `links` files follows."""
        self._manager = manager
        self._watcher = watcher
        self._clock = clock
        self.changed = threading.Condition()
        self.walks = WalkRequests()
        self.edits = ReportedEdits(clock)
        self.graph = GraphRequests(manager, links)
        self.thread: threading.Thread | None = None
        # copies what is read where it was published, so that no refresh waits for that
        self.copier: Copier | None = None
        # encodes functions, if the settings name an encoder
        self.encoding = manager.encoding()
        # what is done when there is nothing else to do
        self.idle = [] if self.encoding is None else [self.encoding.encode]
        self.idle_is_due = bool(self.idle)
        self.is_closed = self.is_refreshing = self.tidy_due = self._is_listening = False
        self.outcome: RefreshResult | Problem | None = None

    def close(self) -> None:
        """Ask the thread to stop, and close watcher and workers."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        if self._watcher is not None:
            self._watcher.close()
        if self.copier is not None:
            self.copier.close()
        self._manager.close()

    def look_at(self, paths: Iterable[str]) -> None:
        """Queue a refresh of these files; doesn't wait."""
        with self.changed:
            if not self.edits.add(paths):
                self.walks.request()
            self.wake()

    def walk(self) -> None:
        """Queue a walk, unless none is needed; doesn't wait."""
        if not self._manager.is_whole:
            with self.changed:
                self.request()

    def request(self, *, force: bool = False) -> int:
        """Ask for a walk; its ticket."""
        ticket = self.walks.request(force=force)
        self.wake()
        return ticket

    def wake(self) -> None:
        """Have the thread look for work, which starts with the first; the lock is held."""
        if self.thread is None:
            self.thread = threading.Thread(target=self._work, name="indexer", daemon=True)
            self.thread.start()
            self.copy_soon()
        self.changed.notify_all()

    def copy_soon(self) -> None:
        """Copy what of the index is read where it was published, in a thread of its own."""
        if self._manager.copies and not self.is_closed:
            with self.changed:
                if self.copier is None:
                    self.copier = Copier(self._manager, self._clock, self)
            self.copier.start()

    def tidy_soon(self) -> None:
        """Merge what is here now, and lend it; doesn't wait."""
        with self.changed:
            self.tidy_due = True
            self.changed.notify_all()

    def wait(self, budget: Budget, is_done: Callable[[], bool]) -> bool:
        """Wait, with the lock, until this is so; False if the budget is spent before.

        Each change wakes those who wait: what is polled is the end of the budget, which a flag
        of the caller and any clock tell.
        """
        while not is_done():
            budget.check()
            if self.is_closed:
                raise Problem("reopened")
            if budget.spent:
                return False
            self.changed.wait(_POLL)
        return True

    def has_reports(self) -> bool:
        """True if something that was requested or reported is not indexed yet."""
        return self.is_refreshing or bool(self.edits.paths) or self.walks.is_open

    @property
    def is_untidy(self) -> bool:
        """True if segments may be merged."""
        return any(part.writer.untidy for part in self._manager.parts.values())

    def is_busy(self) -> bool:
        """True if there is something to do."""
        return self.graph.is_due or self.has_work()

    def lags(self) -> bool:
        """True if the text has changed since the last link without a refresh of this thread."""
        return False

    @contextmanager
    def hurry(self) -> Iterator[None]:
        """Hold the lock, and have what was reported indexed at once."""
        with self.changed:
            self.edits.waiting += 1
            self.changed.notify_all()
            try:
                yield
            finally:
                self.edits.waiting -= 1

    def _work(self) -> None:
        while self._wait_for_work():
            with self.changed:
                is_link = not self.has_work()
                ticket, force = self.walks.requested, self.walks.force
                tidies = self.tidy_due
                paths: set[str] = set()
                if not is_link:
                    self.walks.force = self.tidy_due = False
                    paths = self.edits.take()
                    self.is_refreshing = True
            if is_link:
                if self.graph.is_due:
                    self._link()
                else:
                    self._work_idle()
                continue
            if ticket > self.walks.finished:
                done = self._walk(ticket, force=force)
            else:
                done = not paths or self._refresh_paths(paths)
            with self.changed:
                self.is_refreshing = False
                if not self.edits.are_followed:
                    self.graph.follow_refresh()
                self.idle_is_due = bool(self.idle)
                self.changed.notify_all()
            if done:
                # files that were changed meanwhile are left
                if isinstance(self.outcome, RefreshResult) and not self.outcome.complete:
                    self.walk()
                self._tidy(asked=tidies)

    def _listen(self) -> bool:
        """Start the watcher, unless there is none or it was started; whether it starts now."""
        if self._is_listening or self._watcher is None:
            return False
        self._is_listening = True
        self._watcher.start(self, self._manager.single.text.walked_folders)
        return True

    def take_edits(self, started: float) -> Sequence[str]:
        """The files that were reported while a run goes on, which began at this time.

        A walk that was requested meanwhile, say because all folders are watched from now on, also
        follows the run; but that may go on for minutes.
        """
        with self.changed:
            if self._clock() - started >= _LISTEN_AFTER:
                self._listen()
            paths = self.edits.take()
            if self.walks.take_later():
                paths.add(ANY_FILE)
        return sorted(paths)

    def _wait_for_work(self) -> bool:
        """Wait until there is something to do; False once this is closed."""
        with self.changed:
            while not self.is_closed and not self.has_work():
                # it reads every folder of the tree, so it starts after the first answer
                if self._listen():
                    continue
                if self.graph.is_due or self.idle_is_due:
                    break
                self.changed.wait(self.edits.seconds_left if self.edits.paths else None)
            return not self.is_closed

    def _link(self) -> None:
        """Link what the graph lacks; stops for other work, and is resumed after it."""
        self.graph.is_due_again = False
        budget = Budget(None, lambda: self.is_closed or self.has_work(), self._clock)
        outcome = _attempt(lambda: self._manager.link(budget, _BackgroundRun(self)))
        with self.changed:
            if not self.has_work():
                self.graph.end(outcome if isinstance(outcome, Problem) else None)
            self.changed.notify_all()
        # files that have changed before they were linked
        if not isinstance(outcome, Problem) and outcome and self.graph.is_first_of_generation():
            self.look_at(outcome)
        gc.collect()  # the parts of a linker know each other, and hold the snapshot that it read
        release_freed_memory()

    def _work_idle(self) -> None:
        """Do what is left for now; what other work stops is done again after it."""
        self.idle_is_due = False
        budget = Budget(None, lambda: self.is_closed or self.is_busy(), self._clock)
        for work in self.idle:
            outcome = _attempt(partial(work, budget))
            self.idle_is_due |= isinstance(outcome, Problem) and outcome.code == "cancelled"
        release_freed_memory()

    def has_work(self) -> bool:
        """True if there is something to do before the graph is linked."""
        return self.walks.is_open or self.tidy_due or self.edits.are_due

    def _walk(self, ticket: int, *, force: bool) -> bool:
        started = self._clock()
        self.walks.compared = ticket
        last = _attempt(lambda: self._compare(started, force=force))
        with self.changed:
            self.walks.end(ticket, started, self._clock(), has_failed=isinstance(last, Problem))
            return self._report(last)

    def _compare(self, started: float, *, force: bool) -> RefreshResult:
        """Bring the index to all files as they are now, in a run that began at this time."""
        run = _BackgroundRun(self, started)
        return self._manager.refresh(self._budget(), run, force=force, wait_for_writer=True)

    def _refresh_paths(self, paths: set[str]) -> bool:
        last = _attempt(
            lambda: self._manager.refresh_paths(sorted(paths), self._budget(), deep=True)
        )
        with self.changed:
            done = self._report(last)
            if isinstance(last, RefreshResult):
                self.edits.note_others(
                    last, len(paths), overtaken=self._manager.single.writer.overtaken
                )
            if not done:
                self.edits.paths |= paths
                self.changed.wait(_BACK_OFF)
        return done

    def _report(self, last: RefreshResult | Problem) -> bool:
        """Keep a run's outcome and notify waiting calls; returns whether it succeeded."""
        self.outcome = last
        done = isinstance(last, RefreshResult)
        if isinstance(last, RefreshResult):
            for runs_seen in self.walks.results.values():
                runs_seen.append(last)
        self.changed.notify_all()
        return done

    def _tidy(self, *, asked: bool) -> None:
        """Merge what a run has published, and free what it used."""
        run = _BackgroundRun(self)
        if asked or self.is_untidy:
            _attempt(lambda: self._manager.tidy(self._budget(), run, stop=self.has_work))
        self._manager.pools.shrink(PoolUse.INDEXING)
        release_freed_memory()

    def _budget(self) -> Budget:
        return Budget(None, lambda: self.is_closed, self._clock)


class Copier:
    """Copies what of an index is read where it was published, in a thread beside refreshes.

    It ends once nothing is left, or it was stopped too often.
    """

    def __init__(self, manager: Indexes, clock: Clock, worker: IndexWorker) -> None:
        """Keep the arguments; starts no thread."""
        self._manager = manager
        self._clock = clock
        self._worker = worker
        self._changed = threading.Condition()
        self._is_running = self._is_due = self._closed = False
        # why it was stopped the last time
        self.failure: Problem | None = None

    def start(self) -> None:
        """Copy in a thread; one that pauses goes on at once."""
        with self._changed:
            self._is_due = not self._closed
            self._changed.notify_all()
            if self._is_due and not self._is_running:
                self._is_running = True
                threading.Thread(target=self._work, name="copier", daemon=True).start()

    def close(self) -> None:
        """Stop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while self._take_turn():
            for pause in _COPY_PAUSES:
                if self._copy():
                    break
                with self._changed:
                    if self._changed.wait_for(lambda: self._closed or self._is_due, pause):
                        break

    def _take_turn(self) -> bool:
        """True if there may be something to copy; else this was the last the thread did."""
        with self._changed:
            self._is_running = self._is_due and not self._closed
            self._is_due = False
            return self._is_running

    def _copy(self) -> bool:
        """Copy what can be copied now; whether nothing is left."""
        if not self._manager.copies:
            return True
        budget = Budget(None, lambda: self._closed, self._clock)
        outcome = _attempt(lambda: self._manager.copy(budget))
        self.failure = outcome if isinstance(outcome, Problem) else None
        copied, left = (0, 1) if isinstance(outcome, Problem) else outcome
        if copied:
            self._worker.tidy_soon()
        return not left


class _BackgroundRun(RunListener):
    """A run of a thread; one that `started` then indexes files that are reported meanwhile."""

    def __init__(self, worker: IndexWorker, started: float | None = None) -> None:
        self._worker = worker
        self._started = started

    def on_first_index(self) -> None:
        """Copy it beside the run."""
        self._worker.copy_soon()

    def take_edits(self) -> Sequence[str]:
        """The files that were reported."""
        return () if self._started is None else self._worker.take_edits(self._started)


def _attempt(work: Callable[[], _T]) -> _T | Problem:
    """The outcome of some work; the thread must survive whatever goes wrong."""
    try:
        return work()
    except Problem as problem:
        return _bare(problem)
    except Exception as error:  # noqa: BLE001 the log has the place
        log_place(error)
        return Problem("internal")


def _bare(problem: Problem) -> Problem:
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
