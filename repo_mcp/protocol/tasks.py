"""The tasks of a server: creation, limits, expiry, and the methods `tasks/*`.

Ids are long and random: knowing one gives access. A listing only has the connection's own tasks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from index_format.annotations import Any, Final
from repo_mcp.protocol.call import Call
from repo_mcp.protocol.eras import TASKS, Peer
from repo_mcp.protocol.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    WireError,
    error_body,
)
from repo_mcp.protocol.task import CANCELLED, COMPLETED, INPUT, RELATED, Clock, Task

# milliseconds that a task is kept after its creation: by default, and at most
_TTL: Final = 600_000
_MOST_TTL: Final = 86_400_000
_MOST: Final = 64


class Tasks:
    """The tasks of one server."""

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock
        self._tasks: dict[str, Task] = {}
        self._calls: dict[str, Call] = {}
        self._lock = threading.Lock()

    def create(self, call: Call, owner: str = "", ttl: int | None = None) -> Task:
        """Create a task; removes the oldest finished one if there are too many."""
        with self._lock:
            self._sweep()
            if len(self._tasks) >= _MOST:
                done = next((task for task in self._tasks.values() if task.is_over), None)
                if done is None:
                    raise WireError(INTERNAL_ERROR, f"{_MOST} tasks are running already")
                self._forget(done)
            kept = _TTL if ttl is None else max(1, min(ttl, _MOST_TTL))
            task = Task(call, owner, kept, self._clock)
            self._tasks[task.id], self._calls[task.id] = task, call
        call.task = task
        return task

    def get(self, id_: object, owner: str = "") -> Task:
        """The task of this id; raises `WireError` if there is none."""
        with self._lock:
            self._sweep()
            task = self._tasks.get(id_) if isinstance(id_, str) else None
        if task is None or task.owner != owner:
            raise WireError(INVALID_PARAMS, "unknown or expired taskId")
        return task

    def owned_by(self, owner: str = "") -> list[Task]:
        """A connection's tasks, oldest first."""
        with self._lock:
            self._sweep()
            return [task for task in self._tasks.values() if task.owner == owner]

    def cancel(self, task: Task) -> bool:
        """Cancel a task; False if it had ended before."""
        if not task.end(CANCELLED, "cancelled by the client"):
            return False
        call = self._calls.get(task.id)
        if call is not None:
            call.cancel()
        return True

    def cancel_all(self, owner: str | None = None) -> None:
        """Cancel all tasks, or those of one connection."""
        with self._lock:
            tasks = list(self._tasks.values())
        for task in tasks:
            if owner is None or task.owner == owner:
                self.cancel(task)

    def tick(self) -> None:
        """Remove expired tasks; report progress of running ones."""
        with self._lock:
            self._sweep()
            running = [self._calls[id_] for id_, task in self._tasks.items() if not task.is_over]
        for call in running:
            call.tick()

    def _sweep(self) -> None:
        for task in [task for task in self._tasks.values() if task.expired]:
            self.cancel(task)
            self._forget(task)

    def _forget(self, task: Task) -> None:
        del self._tasks[task.id], self._calls[task.id]


Fields = dict[str, Any]
MISSING_CAPABILITY: Final = -32021
REQUEST_METHODS: Final = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})


class TaskMethods:
    """The methods `tasks/*`, and the creation of tasks."""

    def __init__(self, tasks: Tasks, complete: Callable[[Peer, Fields], Fields]) -> None:
        self._tasks = tasks
        self._complete = complete

    def begin(self, call: Call, params: object, owner: str) -> Task:
        """Create the task that a client requests for a call."""
        ttl = params.get("ttl") if isinstance(params, dict) else ""
        if isinstance(ttl, bool) or not (ttl is None or isinstance(ttl, int | float)):
            raise WireError(
                INVALID_PARAMS, "task must be an object; its ttl a number of milliseconds"
            )
        # JSON's -1e400 is minus infinity, which is no whole number
        kept = None if ttl is None else int(max(0, min(ttl, _MOST_TTL)))
        return self._tasks.create(call, owner, kept)

    def create(self, call: Call) -> Task:
        """Turn a call into a task on the server's initiative."""
        return self._tasks.create(call)

    def creation_result(self, task: Task) -> Fields:
        """The result that tells the client about a new task."""
        return {"resultType": "task", **_modern_state(task)}

    def find(self, peer: Peer, params: Mapping[str, Any], owner: str) -> Task:
        """The task of a request; tasks of modern clients belong to no connection."""
        return self._tasks.get(params.get("taskId"), "" if peer.modern else owner)

    def answer(self, method: str, peer: Peer, params: Mapping[str, Any], owner: str) -> Fields:
        """The result of a method, except `tasks/result`."""
        if peer.modern:
            return self._complete(peer, self._modern(method, peer, params))
        if peer.version != "2025-11-25" or method not in {
            "tasks/get",
            "tasks/list",
            "tasks/cancel",
        }:
            raise WireError(METHOD_NOT_FOUND, f"unknown method {method[:100]!r}")
        if method == "tasks/list":
            if params.get("cursor") is not None:
                raise WireError(INVALID_PARAMS, "there is only one page: no cursor is valid")
            return {"tasks": [task.state_fields() for task in self._tasks.owned_by(owner)]}
        task = self.find(peer, params, owner)
        if method == "tasks/cancel" and not self._tasks.cancel(task):
            raise WireError(INVALID_PARAMS, f"the task has ended: {task.status}")
        return task.state_fields()

    def result(self, task: Task, waiting: Call) -> Fields | None:
        """Wait for the call's result; None if the waiting call is cancelled."""
        if not task.wait(waiting):
            return None
        if task.error is not None:
            raise WireError(task.error.code, task.error.message)
        if task.result is None:
            raise WireError(INTERNAL_ERROR, task.message or "the task has no result")
        meta = {**task.result.get("_meta", {}), RELATED: {"taskId": task.id}}
        return {**task.result, "_meta": meta}

    def _modern(self, method: str, peer: Peer, params: Mapping[str, Any]) -> Fields:
        if method not in REQUEST_METHODS:
            raise WireError(METHOD_NOT_FOUND, f"unknown method {method[:100]!r}")
        if not peer.knows_tasks:
            needed: Fields = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            raise WireError(MISSING_CAPABILITY, f"the client does not declare {TASKS}", data=needed)
        task = self.find(peer, params, "")
        if method == "tasks/get":
            return _with_outcome(task)
        if method == "tasks/cancel":
            self._tasks.cancel(task)
            return {}
        responses = params.get("inputResponses")
        if not isinstance(responses, dict):
            raise WireError(INVALID_PARAMS, "inputResponses is not an object")
        task.take_answers(responses)
        return {}


def _modern_state(task: Task) -> Fields:
    """The state in the form of modern versions."""
    found = task.state_fields()
    found["ttlMs"], found["pollIntervalMs"] = found.pop("ttl"), found.pop("pollInterval")
    return found


def _with_outcome(task: Task) -> Fields:
    found = _modern_state(task)
    if task.status == COMPLETED:
        found["result"] = task.result
    elif task.error is not None:
        found["error"] = error_body(task.error)
    elif task.status == INPUT:
        found["inputRequests"] = dict(task.inputs)
    elif task.status == CANCELLED:
        found.setdefault("statusMessage", "cancelled")
    return found
