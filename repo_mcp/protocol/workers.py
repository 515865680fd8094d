"""Threads that do what a connection asks for, and one that looks at what takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

from repo_mcp.protocol.plan import Job
from repo_mcp.protocol.session import Session

# threads at most for each kind of work; who only waits must not keep others from working
_THREADS: Final = {"call": 8, "task": 4, "wait": 64}
# how often calls under way are looked at
_TICK: Final = 0.5
# what a call has to answer in, if nothing more comes in meanwhile: one that took longer already is
# not about to end, and waiting for it costs more than it seems while others compute
_GRACE: Final = 0.03
# how long a thread may compute before it lets another one do so, from then on
_LEAVING: Final = 0.0002


class Workers:
    """Started as they are needed; none of them keeps the process from ending."""

    def __init__(self, session: Session) -> None:
        """None yet."""
        self._session = session
        self._pools = {kind: _Pool(most, session.perform) for kind, most in _THREADS.items()}
        self._busy = threading.Event()
        self._ticks = False

    def start(self, job: Job) -> None:
        """Have it done."""
        self._pools[job.kind].start(job)
        if not self._ticks:
            self._ticks = True
            threading.Thread(target=self._tick, daemon=True).start()
        self._busy.set()

    def finish(self) -> None:
        """Give work that has just begun a moment, then tell all that nobody waits."""
        calls = self._pools["call"]
        left = calls.begun + _GRACE - time.monotonic()
        if left > 0:
            # threads that compute give way to this one at once, and it asks them only once
            sys.setswitchinterval(_LEAVING)
            calls.idle.wait(left)
        self._session.end()

    def _tick(self) -> None:
        while True:
            self._busy.wait()
            time.sleep(_TICK)
            self._session.tick()
            if not any(pool.open for pool in self._pools.values()):
                self._busy.clear()
                # work may have come between looking and clearing
                if any(pool.open for pool in self._pools.values()):
                    self._busy.set()


class _Pool:
    """Threads for one kind of work."""

    def __init__(self, most: int, perform: Callable[[Job], None]) -> None:
        self._most = most
        self._perform = perform
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._threads = 0
        self._lock = threading.Lock()
        self.open = 0
        # when the last one came
        self.begun = 0.0
        # set while there is nothing to do
        self.idle = threading.Event()
        self.idle.set()

    def start(self, job: Job) -> None:
        with self._lock:
            self.open += 1
            self.begun = time.monotonic()
            self.idle.clear()
            if self._threads < min(self.open, self._most):
                self._threads += 1
                threading.Thread(target=self._work, daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                self._perform(job)
            finally:
                with self._lock:
                    self.open -= 1
                    if not self.open:
                        self.idle.set()
