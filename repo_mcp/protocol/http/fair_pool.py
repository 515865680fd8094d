"""Threads whose jobs take turns: whoever asks much waits for itself, and not others for it."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class FairPool:
    """Runs the jobs of several owners: the owner whose turn is longest ago comes next."""

    def __init__(self, most: int, name: str) -> None:
        """Run up to `most` jobs at a time."""
        self._threads = ThreadPoolExecutor(most, name)
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[tuple[Future[Any], Callable[[], Any]]]]
        self._waiting = OrderedDict()

    def submit(self, owner: str, run: Callable[[], Any]) -> Future[Any]:
        """Run a job once it is the turn of its owner."""
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.setdefault(owner, deque()).append((future, run))
        self._threads.submit(self._run_next)
        return future

    def shutdown(self) -> None:
        """Wait for all jobs, and take no more."""
        self._threads.shutdown()

    def _run_next(self) -> None:
        """Run the job whose turn it is: there is one for each call of this."""
        with self._lock:
            owner, jobs = self._waiting.popitem(last=False)
            future, run = jobs.popleft()
            if jobs:
                self._waiting[owner] = jobs
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = run()
        except BaseException as error:  # noqa: BLE001 whoever waits gets it
            future.set_exception(error)
        else:
            future.set_result(result)
