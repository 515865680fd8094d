"""One thread that keeps the index fresh, so that no request has to; requests ask it and may wait.

It walks when it is asked to, looks at single files when the watcher names them, and merges
segments when nothing else is to do. Whatever fails is remembered and tried again later.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.indexing.fresh.refresh import SYMBOLS
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.log import log_place
from repo_mcp.model import RefreshResult

# how long the last walk counts as fresh, whether or not a watcher is there
_FRESH_SECONDS: Final = 3.0
_FRESH_SECONDS_WATCHED: Final = 120.0
# a walk may take so much of one core's time
_WALK_SHARE: Final = 10.0
# more files than these are found faster by a walk
_MOST_PATHS: Final = 256
_T = TypeVar("_T")
_POLL: Final = 0.02
_BACK_OFF: Final = 5.0


class BackgroundRefresh:
    """Starts with the first request."""

    def __init__(
        self, manager: IndexManager, watcher: Watcher | None, clock: Clock = time.monotonic
    ) -> None:
        """Take what it works with; nothing runs yet."""
        self._manager = manager
        self._watcher = watcher
        self._clock = clock
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._asked = self._done = 0
        self._force = False
        self._paths: set[str] = set()
        self._walked = self._took = 0.0
        self._last: RefreshResult | Problem | None = None
        # what was done while somebody waits, by the ticket of who does
        self._heard: dict[int, list[RefreshResult]] = {}

    @property
    def watching(self) -> bool:
        """Whether changes are reported as they happen."""
        return self._watcher is not None and self._watcher.active

    @property
    def has_walked(self) -> bool:
        """Whether files and index were compared since this process began."""
        return self._walked > 0 or self._has_all_words()

    @property
    def failure(self) -> Problem | None:
        """Why the last refresh failed, if it did."""
        return self._last if isinstance(self._last, Problem) else None

    @property
    def notes(self) -> list[str]:
        """What a user should know: why nothing is watched, what failed last."""
        found = []
        if self._watcher is not None and self._watcher.reason:
            found.append(f"changes are found by walking, not watching: {self._watcher.reason}")
        if isinstance(self._last, Problem):
            found.append(f"the last refresh failed: {self._last.reason}. {self._last.hint}")
        return found

    def freshen(self) -> None:
        """Walk if the last walk is too long ago; returns at once."""
        least = _FRESH_SECONDS_WATCHED if self.watching else _FRESH_SECONDS
        with self._changed:
            age = self._clock() - self._walked
            if self._asked == self._done and age > max(least, self._took * _WALK_SHARE):
                self._ask()

    def look_at(self, paths: Iterable[str]) -> None:
        """Bring these files up to date soon; returns at once."""
        with self._changed:
            self._paths.update(paths)
            if len(self._paths) > _MOST_PATHS:
                self._paths.clear()
                self._ask()
            self._start()
            self._changed.notify_all()

    def walk(self) -> None:
        """Walk soon; returns at once."""
        with self._changed:
            self._ask()

    def refresh(self, budget: Budget, *, force: bool = False) -> RefreshResult:
        """Walk and wait for the end of it, or as long as the budget lasts; it goes on then.

        Gives what all runs did that were at work meanwhile.
        """
        heard: list[RefreshResult] = []
        started = time.monotonic()
        with self._changed:
            self._force = self._force or force
            ticket = self._ask()
            self._heard[ticket] = heard
        try:
            finished = self._wait(ticket, budget)
        finally:
            with self._changed:
                del self._heard[ticket]
        runs = heard if finished else [*heard, *self._under_way()]
        return _together(runs, time.monotonic() - started, finished=finished)

    def _under_way(self) -> list[RefreshResult]:
        """What the run under way has done so far; else how the index stands."""
        now = self._manager.so_far()
        if now is not None:
            return [now]
        state = self._manager.state()
        return [RefreshResult(0, 0, 0, state.files, 0.0, state.last_refresh, complete=False)]

    def ready(self, budget: Budget) -> None:
        """Compare files and index, build one if there is none, and wait for it.

        It is enough when all words can be searched that could not be before; and no longer than
        the budget lasts.
        """
        lacking = self._manager.state().status != "ready"
        with self._changed:
            ticket = self._ask() if self._asked == self._done else self._asked

        def enough() -> bool:
            ready = self._manager.state().status == "ready"
            return (lacking and ready) or self._has_all_words()

        self._wait(ticket, budget, enough)

    def rebuild(self, budget: Budget) -> None:
        """Begin the index again in the caller's thread, because reading it showed damage."""
        self._manager.rebuild(budget)

    def _has_all_words(self) -> bool:
        """Whether the run under way has published all words, and is left with what parsers find."""
        progress = self._manager.state().progress
        return progress is not None and progress.phase == SYMBOLS

    def close(self) -> None:
        """Stop soon."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._watcher is not None:
            self._watcher.close()
        self._manager.close()

    def _ask(self) -> int:
        self._asked += 1
        self._start()
        self._changed.notify_all()
        return self._asked

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="indexer", daemon=True)
            self._thread.start()

    def _wait(
        self, ticket: int, budget: Budget, enough: Callable[[], bool] = lambda: False
    ) -> bool:
        """Whether it came to its end."""
        with self._changed:
            while self._done < ticket:
                budget.check()
                if budget.spent or enough():
                    return False
                self._changed.wait(_POLL)
            if isinstance(self._last, Problem):
                raise self._last
            return True

    def _work(self) -> None:
        listening = self._watcher is None
        while True:
            with self._changed:
                while not self._closed and self._asked == self._done and not self._paths:
                    if not listening and self._watcher is not None:
                        # it reads every folder of the tree: not before the first answer
                        self._watcher.start(self)
                        listening = True
                    self._changed.wait()
                if self._closed:
                    return
                ticket, force, self._force = self._asked, self._force, False
                paths, self._paths = self._paths, set()
            done = self._walk(ticket, force=force) if ticket > self._done else self._look(paths)
            if done:
                self._tidy()

    def _walk(self, ticket: int, *, force: bool) -> bool:
        started = self._clock()
        last = self._tried(lambda: self._manager.refresh(self._budget(), force=force, patient=True))
        with self._changed:
            self._walked = self._clock()
            self._took = self._walked - started
            # who asked meanwhile would only hear the same
            self._done = self._asked if isinstance(last, Problem) else ticket
            return self._tell(last)

    def _look(self, paths: set[str]) -> bool:
        last = self._tried(
            lambda: self._manager.refresh_paths(sorted(paths), self._budget(), deep=True)
        )
        with self._changed:
            done = self._tell(last)
            if not done:
                self._paths |= paths
                self._changed.wait(_BACK_OFF)
        return done

    def _tell(self, last: RefreshResult | Problem) -> bool:
        """Remember what became of a run, and tell who waits; gives whether it was done."""
        self._last = last
        done = isinstance(last, RefreshResult)
        if isinstance(last, RefreshResult):
            for heard in self._heard.values():
                heard.append(last)
        self._changed.notify_all()
        return done

    def _tidy(self) -> None:
        self._tried(lambda: self._manager.tidy(self._budget()))
        self._manager.rest()

    def _tried(self, work: Callable[[], _T]) -> _T | Problem:
        try:
            return work()
        except Problem as problem:
            return problem
        except Exception as error:  # noqa: BLE001 the thread goes on, the log has the place
            log_place(error)
            return Problem("internal")

    def _budget(self) -> Budget:
        return Budget(None, lambda: self._closed, self._clock)


def _together(runs: Sequence[RefreshResult], seconds: float, *, finished: bool) -> RefreshResult:
    """What runs did one after another; all else is as the last one left it."""
    return replace(
        runs[-1],
        added=sum(run.added for run in runs),
        updated=sum(run.updated for run in runs),
        removed=sum(run.removed for run in runs),
        seconds=seconds,
        waited=sum(run.waited for run in runs),
        complete=finished and runs[-1].complete,
    )
