"""A task: the state, result and input requests of a call that outlives its request."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from index_format.annotations import Any, Final, Protocol
from repo_mcp.protocol.deprecated import CREATE_MESSAGE, SAMPLING_SECONDS
from repo_mcp.protocol.eras import Peer
from repo_mcp.protocol.jsonrpc import WireError
from repo_mcp.protocol.rounds import key_of

WORKING: Final = "working"
INPUT: Final = "input_required"
COMPLETED: Final = "completed"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"
TERMINAL: Final = frozenset({COMPLETED, FAILED, CANCELLED})
RELATED: Final = "io.modelcontextprotocol/related-task"
_POLL: Final = 500

Fields = dict[str, Any]
Clock = Callable[[], float]


class TaskCall(Protocol):
    """The call behind a task."""

    @property
    def peer(self) -> Peer:
        """The client."""
        ...

    def ask_client(self, params: Fields) -> Fields | None:
        """The client's answer to a sampling request; None if none arrives in time."""
        ...

    def close(self) -> None:
        """Send no more notifications."""
        ...

    def is_cancelled(self) -> bool:
        """True if the call was cancelled."""
        ...

    def when_cancelled(self, wake: Callable[[], None] | None) -> None:
        """Register a callback for cancellation."""
        ...


class Task:
    """One task; thread-safe."""

    def __init__(self, call: TaskCall, owner: str, ttl: int, clock: Clock) -> None:
        self.id = os.urandom(16).hex()
        self._call = call
        self.owner = owner
        self.ttl = ttl
        self.status = WORKING
        self.message = ""
        self.result: Fields | None = None
        self.error: WireError | None = None
        self.inputs: dict[str, Fields] = {}
        self._clock = clock
        self.created = self.updated = clock()
        self._answers: dict[str, object] = {}
        self._changed = threading.Condition()

    @property
    def is_over(self) -> bool:
        """True if the status is terminal."""
        return self.status in TERMINAL

    @property
    def expired(self) -> bool:
        """True if its time to live is over."""
        return self._clock() - self.created > self.ttl / 1000

    def state_fields(self) -> Fields:
        """The state in the form of handshake versions."""
        found: Fields = {
            "taskId": self.id,
            "status": self.status,
            "createdAt": _time(self.created),
            "lastUpdatedAt": _time(self.updated),
            "ttl": self.ttl,
            "pollInterval": _POLL,
        }
        if self.message:
            found["statusMessage"] = self.message
        return found

    def set_message(self, message: str) -> None:
        """Set the status message of a working task."""
        with self._changed:
            if self.status == WORKING:
                self.message, self.updated = message, self._clock()

    def end(self, status: str, message: str = "", result: Fields | None = None) -> bool:
        """End the task; False if it had ended before."""
        self._call.close()
        with self._changed:
            if self.is_over:
                return False
            self.result = result
            self._set_status(status, message)
        return True

    def fail(self, problem: WireError) -> bool:
        """End with an error; False if it had ended before."""
        self.error = problem
        return self.end(FAILED, problem.message)

    def wait(self, waiting: TaskCall) -> bool:
        """Wait for the end, or until the waiting call is cancelled; True at the end."""
        waiting.when_cancelled(self.wake)
        with self._changed:
            self._changed.wait_for(lambda: self.is_over or waiting.is_cancelled())
        return self.is_over

    def wake(self) -> None:
        """Wake all waiting threads."""
        with self._changed:
            self._changed.notify_all()

    def ask(self, params: Fields) -> object:
        """The client's answer to a sampling request; None if none arrives in time."""
        call = self._call
        call.when_cancelled(self.wake)
        key = key_of(CREATE_MESSAGE, params)
        with self._changed:
            self.inputs[key] = {"method": CREATE_MESSAGE, "params": params}
            self._set_status(INPUT, "waiting for the client's model")
        answer: object = None
        if call.peer.modern:
            with self._changed:
                self._changed.wait_for(
                    lambda: key in self._answers or call.is_cancelled(), SAMPLING_SECONDS
                )
                answer = self._answers.get(key)
        else:
            answer = call.ask_client(params)
        with self._changed:
            self.inputs.pop(key, None)
            if not self.is_over:
                self._set_status(WORKING, "")
        return answer

    def take_answers(self, responses: Fields) -> None:
        """Store a client's answers to open requests; ignores others."""
        with self._changed:
            self._answers.update({key: responses[key] for key in self.inputs if key in responses})
            self._changed.notify_all()

    def _set_status(self, status: str, message: str) -> None:
        self.status, self.message, self.updated = status, message, self._clock()
        self._changed.notify_all()


def _time(seconds: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds * 1000) % 1000:03d}Z"
