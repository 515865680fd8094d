"""Calls that go on by themselves, how many there may be, and how long they are kept.

Ids are random and long: who knows one may ask for it. A list shows a connection its own tasks only.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from repo_mcp.protocol.call import Call
from repo_mcp.protocol.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, WireError
from repo_mcp.protocol.task import CANCELLED, Clock, Task

# how long a task is kept from its beginning on, in milliseconds
_TTL: Final = 600_000
_MOST_TTL: Final = 86_400_000
_MOST: Final = 64


class Tasks:
    """The tasks of one server."""

    def __init__(self, clock: Clock = time.time) -> None:
        """None yet."""
        self._clock = clock
        self._tasks: dict[str, Task] = {}
        self._calls: dict[str, Call] = {}
        self._lock = threading.Lock()

    def create(self, call: Call, owner: str = "", ttl: int | None = None) -> Task:
        """A new one; an old one that is over makes room for it."""
        with self._lock:
            self._sweep()
            if len(self._tasks) >= _MOST:
                done = next((task for task in self._tasks.values() if task.is_over), None)
                if done is None:
                    raise WireError(INTERNAL_ERROR, f"{_MOST} tasks are under way already")
                self._forget(done)
            kept = _TTL if ttl is None else max(1, min(ttl, _MOST_TTL))
            task = Task(call, owner, kept, self._clock)
            self._tasks[task.id], self._calls[task.id] = task, call
        call.task = task
        return task

    def get(self, id_: object, owner: str = "") -> Task:
        """The task of an id."""
        with self._lock:
            self._sweep()
            task = self._tasks.get(id_) if isinstance(id_, str) else None
        if task is None or task.owner != owner:
            raise WireError(INVALID_PARAMS, "unknown taskId: there is none, or it has expired")
        return task

    def of(self, owner: str = "") -> list[Task]:
        """A connection's tasks, oldest first."""
        with self._lock:
            self._sweep()
            return [task for task in self._tasks.values() if task.owner == owner]

    def cancel(self, task: Task) -> bool:
        """End a task that nobody wants; whether it was still going on."""
        if not task.end(CANCELLED, "cancelled by the client"):
            return False
        call = self._calls.get(task.id)
        if call is not None:
            call.cancel()
        return True

    def cancel_all(self, owner: str | None = None) -> None:
        """End all tasks, or those of one connection."""
        with self._lock:
            tasks = list(self._tasks.values())
        for task in tasks:
            if owner is None or task.owner == owner:
                self.cancel(task)

    def tick(self) -> None:
        """Let go of tasks whose time is over; tell that the others go on."""
        with self._lock:
            self._sweep()
            going = [self._calls[id_] for id_, task in self._tasks.items() if not task.is_over]
        for call in going:
            call.tick()

    def _sweep(self) -> None:
        for task in [task for task in self._tasks.values() if task.expired]:
            self.cancel(task)
            self._forget(task)

    def _forget(self, task: Task) -> None:
        del self._tasks[task.id], self._calls[task.id]
