"""Worker processes; one that dies or hangs is replaced, and the job says what that costs.

Each worker has a thread here that talks to it. Results come in the order they are finished; nothing
of them is visible before the caller publishes it, so that workers can be killed at any time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from repo_mcp.budget import Budget
from repo_mcp.indexing.recipe import Recipe
from repo_mcp.indexing.wire import Pipe

# a worker that says nothing for so long hangs
_PATIENCE: Final = 120.0
_POLL: Final = 0.05
_COMMAND: Final = (sys.executable, "-P", "-m", "repo_mcp.indexing.worker")
# each worker uses one core, and libraries must not start threads of their own; memory that is given
# back to the system after each array costs a quarter of the time when it is asked for again
_ENVIRONMENT: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    "MALLOC_TOP_PAD_": "67108864",
}


class Job(Protocol):
    """What a worker is asked to do."""

    def message(self) -> object:
        """What it is told."""

    def advance(self, at: int) -> object:
        """What to tell the caller when the worker has come to its step `at`."""

    def result(self, message: Any) -> object:  # noqa: ANN401 as the worker sent it
        """What to tell the caller of the worker's last message."""

    def blame(self, at: int) -> None:
        """A worker ended at this step (-1 before the first): change what it is told, or raise."""


_Told = tuple[Job, object, bool]


class Pool:
    """Processes, started with the first task and ended by `close`."""

    def __init__(self, recipe: Recipe, workers: int) -> None:
        """Say how many; none is started yet."""
        self._recipe = recipe
        self._count = max(workers, 1)
        self._workers: list[_Worker] = []

    def run(self, jobs: Sequence[Job], budget: Budget) -> Iterator[tuple[Job, object, bool]]:
        """A job, what it has to tell, and whether that is its result.

        When the budget is cancelled or spent, the workers are ended at once: what they were at is
        as if it had never been begun.
        """
        results: SimpleQueue[_Told | BaseException] = SimpleQueue()
        pending = deque(jobs)
        self._workers = [
            _Worker(self._recipe, pending, results) for _ in range(min(self._count, len(jobs)))
        ]
        left = len(jobs)
        try:
            while left:
                budget.check()
                if budget.spent:
                    return
                for worker in self._workers:
                    worker.end_if_stuck()
                with suppress(Empty):
                    result = results.get(timeout=_POLL)
                    if isinstance(result, BaseException):
                        raise result
                    left -= result[2]
                    yield result
        finally:
            self.close()

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.close()
        self._workers = []


class _Worker:
    """A process, and the thread that gives it work."""

    def __init__(
        self,
        recipe: Recipe,
        pending: deque[Job],
        results: SimpleQueue[_Told | BaseException],
    ) -> None:
        self._recipe = recipe
        self._pending = pending
        self._results = results
        self._closed = False
        self._heard = time.monotonic()
        self._busy = False
        self._process: subprocess.Popen[bytes] | None = None
        threading.Thread(target=self._work, daemon=True).start()

    def end_if_stuck(self) -> None:
        if self._busy and time.monotonic() - self._heard > _PATIENCE:
            self._end()

    def close(self) -> None:
        self._closed = True
        self._end()

    def _end(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def _dispose(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

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
        finally:
            self._dispose()

    def _do(self, job: Job) -> None:
        """Have a job done, by another process when one ends at it."""
        done = False
        while not (done or self._closed):
            at = -1
            try:
                pipe = self._pipe()
                pipe.send(job.message())
                self._busy = True
                while isinstance(message := self._receive(pipe), int):
                    at = message
                    self._results.put((job, job.advance(at), False))
                self._results.put((job, job.result(message), True))
                done = True
            except (EOFError, OSError):
                self._dispose()
                if not self._closed:
                    job.blame(at)
            finally:
                self._busy = False

    def _receive(self, pipe: Pipe) -> Any:  # noqa: ANN401 a message is what was sent
        message = pipe.receive()
        self._heard = time.monotonic()
        return message

    def _pipe(self) -> Pipe:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(  # noqa: S603 this very program
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=os.path.abspath(os.sep),
                env={**os.environ, **_ENVIRONMENT},
            )
            self._heard = time.monotonic()
            if self._closed:
                process.kill()
            pipe = _ends(process)
            pipe.send(self._recipe.record())
            return pipe
        return _ends(process)


def _ends(process: subprocess.Popen[bytes]) -> Pipe:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    return Pipe(process.stdout.fileno(), process.stdin.fileno())
