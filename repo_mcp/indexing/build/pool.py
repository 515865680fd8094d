"""Worker processes; one that dies or hangs is replaced, and the job says what that costs.

While there is work, each worker has a thread here that talks to it. Results come in the order they
are finished; nothing of them is visible before the caller publishes it, so that a worker can be
killed at any time. Afterwards they are kept for the next time, until they are told to rest.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from index_format import CorruptIndexError, StoreError
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.processes.start import Process, command_of

_POLL: Final = 0.05
# a worker keeps the memory it once needed: after so many bytes of files it is not kept itself
_KEPT_BELOW: Final = 4 << 20
_FRESH_BELOW: Final = 48 << 20
_WORN_OUT: Final = 96 << 20
_COMMAND: Final = command_of("repo_mcp.indexing.build.worker")
# each worker uses one core, and libraries must not start threads of their own; memory that is given
# back to the system after each array costs a quarter of the time when it is asked for again
_ENVIRONMENT: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    "MALLOC_TOP_PAD_": "67108864",
    # the thread that listens needs no heap of its own: that would count against the bound on memory
    "MALLOC_ARENA_MAX": "1",
}


class Job(Protocol):
    """What a worker is asked to do."""

    @property
    def strain(self) -> int:
        """How much it wears a worker out: bytes whose traces stay in its memory."""

    @property
    def patience(self) -> float:
        """A worker that says nothing for so many seconds hangs."""

    def message(self) -> object:
        """What a worker is told."""

    def advance(self, at: int) -> object:
        """What to tell the caller when the worker has come to its step `at`."""

    def result(self, message: Any) -> object:  # noqa: ANN401 as the worker sent it
        """What to tell the caller of the worker's last message."""

    def blame(self, at: int) -> None:
        """A worker ended at this step (-1 before the first): change what it is told, or raise."""


def _failure(message: dict[str, Any]) -> Exception:
    """What a worker met in the index, or when it wrote to it."""
    if message["damaged"]:
        return CorruptIndexError("a segment", "a section", 0, message["failed"], "what was written")
    return StoreError(message["failed"])


_Told = tuple[Job, object, bool]


class Pool:
    """Processes, started when there is work for them."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        """Say how many; none is started yet."""
        self._recipe = recipe
        self._count = max(workers, 1)
        self._idle: list[_Process] = []
        weakref.finalize(self, _end_all, self._idle)

    def run(self, jobs: Sequence[Job], budget: Budget) -> Iterator[_Told]:
        """A job, what it has to tell, and whether that is its result.

        When the budget is cancelled or spent, the workers are ended at once: what they were at is
        as if it had never been begun.
        """
        results: SimpleQueue[_Told | BaseException] = SimpleQueue()
        pending = deque(jobs)
        workers = [
            _Worker(self._start, pending, results, budget.clock) for _ in jobs[: self._count]
        ]
        left = len(jobs)
        try:
            while left:
                budget.check()
                if budget.spent:
                    return
                for worker in workers:
                    worker.end_if_stuck()
                with suppress(Empty):
                    result = results.get(timeout=_POLL)
                    if isinstance(result, BaseException):
                        raise result
                    left -= result[2]
                    yield result
        finally:
            self._leave(workers)

    def rest(self) -> None:
        """Keep one process at most, and none that has done much."""
        self._keep([process for process in self._idle if process.worked < _KEPT_BELOW][:1])

    def refresh(self) -> None:
        """Let go of processes that have done so much that they hold on to memory."""
        self._keep([process for process in self._idle if process.worked < _FRESH_BELOW])

    def close(self) -> None:
        """End the processes that are kept."""
        _end_all(self._idle)

    def _keep(self, kept: list[_Process]) -> None:
        _end_all([process for process in self._idle if process not in kept])
        self._idle[:] = kept

    def _start(self) -> _Process:
        while self._idle:
            process = self._idle.pop()
            if process.is_alive():
                return process
            process.end()
        return _Process(self._recipe)

    def _leave(self, workers: Sequence[_Worker]) -> None:
        for worker in workers:
            process = worker.close()
            if process is not None:
                self._idle.append(process)


class _Process(Process):
    """A worker process, and how worn out it is."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(_COMMAND, _ENVIRONMENT, recipe.record())
        self.worked = 0


def _end_all(processes: list[_Process]) -> None:
    while processes:
        processes.pop().end()


class _Worker:
    """The thread that gives work to a process, and to another one when that ends."""

    def __init__(
        self,
        start: Callable[[], _Process],
        pending: deque[Job],
        results: SimpleQueue[_Told | BaseException],
        clock: Clock,
    ) -> None:
        self._start = start
        self._pending = pending
        self._results = results
        self._clock = clock
        self._closed = False
        self._until: float | None = None
        self._process: _Process | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def end_if_stuck(self) -> None:
        until, process = self._until, self._process
        if process is not None and until is not None and self._clock() > until:
            process.kill()

    def close(self) -> _Process | None:
        """Stop; gives the process if it is still of use."""
        self._closed = True
        while self._thread.is_alive():
            process = self._process
            if self._until is not None and process is not None:
                process.kill()
            self._thread.join(_POLL)
        process, self._process = self._process, None
        return process

    def _work(self) -> None:
        try:
            while not self._closed:
                try:
                    job = self._pending.popleft()
                except IndexError:
                    break
                self._do(job)
        except BaseException as error:  # noqa: BLE001 it is raised where the results are taken
            self._results.put(error)

    def _do(self, job: Job) -> None:
        """Have a job done, by another process when one ends at it."""
        done = False
        while not (done or self._closed):
            at = -1
            try:
                process = self._process = self._process or self._start()
                self._until = self._clock() + job.patience
                process.pipe.send(job.message())
                while isinstance(message := process.pipe.receive(), int):
                    self._until = self._clock() + job.patience
                    at = message
                    self._results.put((job, job.advance(at), False))
                if isinstance(message, dict):
                    self._until = None
                    self._drop()
                    raise _failure(message)
                process.worked += job.strain
                self._until = None
                self._results.put((job, job.result(message), True))
                done = True
                if process.worked > _WORN_OUT:
                    self._drop()
            except (EOFError, OSError):
                self._until = None
                self._drop()
                if not self._closed:
                    job.blame(at)

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()
