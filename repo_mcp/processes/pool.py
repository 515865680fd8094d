"""A pool of worker processes; one that dies or hangs is replaced, and its job retried.

While there is work, each worker has a thread here that talks to it. Results come in the order they
are finished; none is visible before the caller publishes it, so that a worker can be killed at any
time. Idle workers are kept for the next run, until `shrink`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from repo_mcp.budget import Budget, Clock, do_nothing
from repo_mcp.processes.machine_memory import machine_memory
from repo_mcp.processes.start import Process

_POLL: Final = 0.05
# a worker never gives memory back: bytes of files after which `shrink`, `retire_large` and the end
# of a job stop it
_KEEP_BELOW: Final = 4 << 20
_REUSE_BELOW: Final = 48 << 20
_RETIRE_ABOVE: Final = 96 << 20
# what is made of a file may take three hundred times its size. Files of more bytes than these are
# parsed or linked at once as far as an eighth of the machine's memory has room for what they take
_LARGE_FILE: Final = 384 << 10
_TIMES_ITS_SIZE: Final = 300
_PART_OF_MEMORY: Final = 8
# bytes of memory of a worker after which the end of a job stops it, whatever the size of its files:
# small ones may be made to cost much
_MOST_RESIDENT: Final = 208 << 20
# and of one that is kept for the next edit
_KEPT_RESIDENT: Final = 112 << 20
_MOST_WORKERS: Final = 8


class Job(Protocol):
    """A unit of work for a worker."""

    @property
    def retained_bytes(self) -> int:
        """Bytes of input that stay in the worker's memory afterwards."""

    @property
    def largest_bytes(self) -> int:
        """Bytes of the largest file that is parsed or linked."""

    @property
    def timeout(self) -> float:
        """Seconds without a message after which the worker counts as hung."""

    def message(self) -> object:
        """The task message for the worker."""

    def advance(self, at: int) -> object:
        """The progress event when the worker has reached step `at`."""

    def result(self, message: Any) -> object:  # noqa: ANN401 as the worker sent it
        """The result in the worker's last message."""

    def record_crash(self, at: int) -> None:
        """Change the task after a worker died at this step (-1: before the first), or raise."""


def usual_workers() -> int:
    """The number of workers where no setting says it."""
    return min(os.cpu_count() or 1, _MOST_WORKERS)


# a job, a value, and whether that is the job's result
Event = tuple[Job, object, bool]


class JobRunner(Protocol):
    """Runs jobs: in processes here, or on machines elsewhere."""

    def run(
        self, jobs: Sequence[Job], budget: Budget, waiting: Callable[[], None] = do_nothing
    ) -> Iterator[Event]:
        """Each job's events, as `ProcessPool.run` has them."""
        ...


class ProcessStock:
    """Idle processes that several pools share, and the number that work at a time."""

    def __init__(self, workers: int) -> None:
        """There are no processes yet."""
        self.slots = threading.Semaphore(max(workers, 1))
        self._idle: list[PooledProcess] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _end_all, self._idle)

    def take(self) -> PooledProcess | None:
        """A process that may have worked for another pool; None if there is none."""
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None or process.is_alive():
                return process
            process.end()

    def give(self, processes: Sequence[PooledProcess]) -> None:
        """Keep one small process for the next pool that needs one; stop the others."""
        ended = []
        for process in processes:
            with self._lock:
                if not self._idle and process.resident_bytes() <= _KEPT_RESIDENT:
                    process.retained_bytes = 0
                    self._idle.append(process)
                else:
                    ended.append(process)
        _end_all(ended)


class ProcessPool:
    """Processes, started when there is work for them."""

    def __init__(
        self,
        start: Callable[[], PooledProcess],
        workers: int,
        failure: Callable[[dict[str, Any]], Exception],
        stock: ProcessStock | None = None,
        prepare: Callable[[PooledProcess], None] | None = None,
    ) -> None:
        """Starts no process; `failure` makes the error of a worker's message about one.

        Pools with a `stock` share its processes, and `prepare` has one work for this pool.
        """
        self._begin = start
        self._failure = failure
        self._count = max(workers, 1)
        self._stock = stock
        self._prepare = prepare
        self._idle: list[PooledProcess] = []
        # idle processes are released while another thread runs jobs
        self._lock = threading.Lock()
        self._closed = False
        weakref.finalize(self, _end_all, self._idle)

    def run(
        self, jobs: Sequence[Job], budget: Budget, waiting: Callable[[], None] = do_nothing
    ) -> Iterator[Event]:
        """Each job's events: the job, the value, and whether that is the job's result.

        `waiting` is called often, between the events and while there are none.

        When the budget is cancelled or spent, the workers are killed; unfinished jobs leave no
        trace.
        """
        results: SimpleQueue[Event | BaseException] = SimpleQueue()
        pending = _Pending(jobs, machine_memory() // _PART_OF_MEMORY // _TIMES_ITS_SIZE)
        slots = None if self._stock is None else self._stock.slots
        workers = [
            _Worker(self._start, self._failure, pending, results, budget.clock, slots)
            for _ in jobs[: self._count]
        ]
        left = len(jobs)
        try:
            while left:
                budget.check()
                if budget.spent:
                    return
                for worker in workers:
                    worker.kill_if_stuck()
                waiting()
                with suppress(Empty):
                    result = results.get(timeout=_POLL)
                    if isinstance(result, BaseException):
                        raise result
                    left -= result[2]
                    yield result
        finally:
            self._collect(workers)

    def shrink(self, retained: int | None = None) -> None:
        """Keep at most one idle process, none that has grown large or has read more than this."""
        self._keep(_KEEP_BELOW if retained is None else retained, _KEPT_RESIDENT, most=1)

    def retire_large(self) -> None:
        """Stop the idle processes that hold much memory."""
        self._keep(_REUSE_BELOW, _MOST_RESIDENT, most=self._count)

    def close(self) -> None:
        """Stop all idle processes, and the others when their run ends."""
        self._closed = True
        self._keep(0, 0, most=0)

    def _keep(self, retained: int, resident: int, *, most: int) -> None:
        """Keep so many idle processes that have retained less input and memory; stop the others."""
        with self._lock:
            small = [
                item
                for item in self._idle
                if item.retained_bytes < retained and item.resident_bytes() <= resident
            ][:most]
            if self._stock is not None:
                small = []
            ended = [item for item in self._idle if item not in small]
            self._idle[:] = small
        if self._stock is not None and not self._closed:
            self._stock.give(ended)
        else:
            _end_all(ended)

    def _start(self) -> PooledProcess:
        while (process := self._take_idle()) is not None:
            if process.is_alive():
                return process
            process.end()
        process = None if self._stock is None else self._stock.take()
        if process is None:
            return self._begin()
        if self._prepare is not None:
            with suppress(OSError):  # if it has ended since, the first read fails
                self._prepare(process)
        return process

    def _take_idle(self) -> PooledProcess | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _collect(self, workers: Sequence[_Worker]) -> None:
        for worker in workers:
            process = worker.close()
            if process is not None:
                with self._lock:
                    self._idle.append(process)
        if self._closed:
            self._keep(0, 0, most=0)


class PooledProcess(Process):
    """A worker process, and the bytes of input it has retained."""

    retained_bytes = 0


def _end_all(processes: list[PooledProcess]) -> None:
    while processes:
        processes.pop().end()


class _Pending:
    """Jobs that wait; of those with a large file as many are done at once as there is room for."""

    def __init__(self, jobs: Sequence[Job], room: int) -> None:
        """`room` is bytes of large files; one of them may always be done."""
        self._jobs = deque(jobs)
        self._room = room
        self._changed = threading.Condition()
        # bytes of the large files of the jobs that are being done
        self._used = 0

    @property
    def is_empty(self) -> bool:
        return not self._jobs

    def take(self) -> Job | None:
        """The first job that may begin; None if there is none yet."""
        with self._changed:
            for at, job in enumerate(self._jobs):
                size = _large_bytes(job)
                if not (size and self._used) or self._used + size <= self._room:
                    self._used += size
                    del self._jobs[at]
                    return job
            self._changed.wait(_POLL)
        return None

    def finish(self, job: Job) -> None:
        """Make room for the next job with a large file."""
        if size := _large_bytes(job):
            with self._changed:
                self._used -= size
                self._changed.notify_all()


def _large_bytes(job: Job) -> int:
    """The bytes of the largest file of a job; 0 if it is small."""
    return job.largest_bytes if job.largest_bytes > _LARGE_FILE else 0


class _Worker:
    """A thread that gives jobs to one process, and starts another when that dies."""

    def __init__(
        self,
        start: Callable[[], PooledProcess],
        failure: Callable[[dict[str, Any]], Exception],
        pending: _Pending,
        results: SimpleQueue[Event | BaseException],
        clock: Clock,
        slots: threading.Semaphore | None = None,
    ) -> None:
        self._slots = slots
        self._start = start
        self._failure = failure
        self._pending = pending
        self._results = results
        self._clock = clock
        self._closed = False
        self._until: float | None = None
        self._process: PooledProcess | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def kill_if_stuck(self) -> None:
        until, process = self._until, self._process
        if process is not None and until is not None and self._clock() > until:
            process.kill()

    def close(self) -> PooledProcess | None:
        """Stop; returns the process if it can be reused."""
        self._closed = True
        while self._thread.is_alive():
            process = self._process
            if self._until is not None and process is not None:
                process.kill()
            self._thread.join(_POLL)
        process, self._process = self._process, None
        return process

    def _work(self) -> None:
        slots = self._slots
        while slots is not None and not slots.acquire(timeout=_POLL):
            if self._closed or self._pending.is_empty:
                return
        try:
            self._do_all()
        finally:
            if slots is not None:
                slots.release()

    def _do_all(self) -> None:
        try:
            while not (self._closed or self._pending.is_empty):
                job = self._pending.take()
                if job is not None:
                    self._do(job)
                    self._pending.finish(job)
        except BaseException as error:  # noqa: BLE001 `run` raises it again
            self._drop()  # what it still sends belongs to no other job
            self._results.put(error)

    def _do(self, job: Job) -> None:
        """Run a job, in a new process whenever one dies."""
        done = False
        while not (done or self._closed):
            at = -1
            try:
                process = self._process = self._process or self._start()
                self._until = self._clock() + job.timeout
                process.pipe.send(job.message())
                while isinstance(message := process.pipe.receive(), int):
                    self._until = self._clock() + job.timeout
                    at = message
                    self._results.put((job, job.advance(at), False))
                if isinstance(message, dict):
                    self._until = None
                    self._drop()
                    raise self._failure(message)
                process.retained_bytes += job.retained_bytes
                self._until = None
                self._results.put((job, job.result(message), True))
                done = True
                is_large = process.resident_bytes() > _MOST_RESIDENT
                if is_large or process.retained_bytes > _RETIRE_ABOVE:
                    self._drop()
            except (EOFError, OSError):
                self._until = None
                self._drop()
                if not self._closed:
                    job.record_crash(at)

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()
