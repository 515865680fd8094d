"""A running call: cancellation, progress reports, log lines and sampling."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping

from index_format.annotations import Any, Final, Protocol
from index_format.tuples import NamedTuple
from repo_mcp.protocol import deprecated, rounds
from repo_mcp.protocol.eras import STRUCTURED_SINCE, Peer
from repo_mcp.protocol.task import RELATED, Task

# the most log messages that one call may send
_MOST_LINES: Final = 200
_LOGGER: Final = "repo-mcp"

Fields = dict[str, Any]


class Channel(Protocol):
    """Sends notifications and requests to the client of a call."""

    def notify(self, method: str, params: Fields) -> None:
        """Send a notification."""
        ...

    def ask(self, method: str, params: Fields, seconds: float, call: Call) -> Fields | None:
        """Send a request and wait for its result; None after a timeout, refusal or cancellation."""
        ...


class Call:
    """A running call, as handlers see it; thread-safe."""

    def __init__(
        self,
        peer: Peer,
        channel: Channel,
        meta: Mapping[str, Any],
        answers: rounds.Answers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.peer = peer
        self.channel = channel
        self.answers = answers
        self.task: Task | None = None
        # true if the server may turn it into a task
        self.promotable = False
        self.began = clock()
        self._clock = clock
        self._lock = threading.RLock()
        self._open = True
        self._lines = 0
        # one refusal or time-out is enough for a call
        self._asked_in_vain = False
        self._cancelled = threading.Event()
        self._on_cancel: Callable[[], None] | None = None
        token = meta.get("progressToken")
        self._progress: ProgressNotifier | None = None
        if isinstance(token, str | int) and not isinstance(token, bool):
            self._progress = ProgressNotifier(token, self._send_progress, self.began)

    @property
    def client(self) -> str:
        """The client's name and version."""
        return self.peer.client

    @property
    def token(self) -> str:
        """The name of the token that the client has shown."""
        return self.peer.token

    @property
    def reads_structured(self) -> bool:
        """True if the protocol version of the call has structured results."""
        return self.peer.has(STRUCTURED_SINCE)

    @property
    def has_silent_roots(self) -> bool:
        """True if the client has folders open, and does not say when these change."""
        return deprecated.offers_roots(self.peer) and not deprecated.tells_changes_of_roots(
            self.peer
        )

    @property
    def is_task(self) -> bool:
        """True if the call is a task."""
        return self.task is not None

    def is_cancelled(self) -> bool:
        """True if the call was cancelled."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Cancel the call: running work polls `is_cancelled`, a waiter is woken."""
        self._cancelled.set()
        wake = self._on_cancel
        if wake is not None:
            wake()

    def when_cancelled(self, wake: Callable[[], None] | None) -> None:
        """Register a callback for cancellation; called immediately if already cancelled."""
        self._on_cancel = wake
        if wake is not None and self._cancelled.is_set():
            wake()

    def close(self) -> None:
        """Send no more notifications."""
        with self._lock:
            self._open = False

    def settle(self) -> bool:
        """Stop notifications before the answer; False if the call is a task and goes on."""
        with self._lock:
            if self.task is None:
                self._open = False
            return self.task is None

    def promote(self, create: Callable[[Call], Task]) -> Task | None:
        """Turn the call into a task, unless it is finished, cancelled or a task already."""
        with self._lock:
            if not self._open or self.task is not None or self.is_cancelled():
                return None
            return create(self)

    def progress(self, done: int, total: int, what: str) -> None:
        """Report progress to the client with a progress token, and in the task's status message."""
        with self._lock:
            if not self._open:
                return
            if self.task is not None:
                self.task.set_message(f"{what}: {done} of {total}" if total else what)
            if self._progress is not None:
                self._progress.report(done, total, what, self._clock())

    def tick(self) -> None:
        """Report progress if nothing was reported for long."""
        if self._progress is not None:
            with self._lock:
                if self._open:
                    self._progress.tick(self._clock())

    def log(self, level: str, text: str) -> None:
        """Send a line to the client's log."""
        with self._lock:
            if not self._open or self._lines >= _MOST_LINES:
                return
            if deprecated.should_send(level, self.peer.log_level):
                self._lines += 1
                line = {"level": level, "logger": _LOGGER, "data": text}
                self._notify(deprecated.LOG_MESSAGE, line)

    def sample(self, prompt: str, tokens: int) -> str | None:
        """The answer of the client's model; None if there is none."""
        if not deprecated.offers_sampling(self.peer) or self.is_cancelled() or self._asked_in_vain:
            return None
        params = deprecated.question(prompt, tokens)
        if self.peer.modern and self.task is None:
            text: str | None = rounds.ask_in_rounds(self.answers, deprecated.CREATE_MESSAGE, params)
            return text
        ask = self.ask_client if self.task is None else self.task.ask
        answer = deprecated.text_of(ask(self._related(params)))
        self._asked_in_vain = answer is None
        return answer

    def list_roots(self) -> list[Fields]:
        """The folders that the client has open; none if it tells nothing, or not in time."""
        if not deprecated.offers_roots(self.peer) or self.is_cancelled():
            return []
        if not self.peer.modern:
            given = self._related({})
            seconds = deprecated.ROOTS_SECONDS
            answer = self.channel.ask(deprecated.LIST_ROOTS, given, seconds, self)
            return deprecated.roots_of(answer)
        if self.task is not None:  # it has been answered, and the client can't be asked any more
            return []
        return rounds.ask_in_rounds(self.answers, deprecated.LIST_ROOTS, {}) or []

    def ask_client(self, params: Fields) -> Fields | None:
        """The client's answer to a sampling request; None if none arrives in time."""
        seconds = deprecated.SAMPLING_SECONDS
        return self.channel.ask(deprecated.CREATE_MESSAGE, params, seconds, self)

    def _send_progress(self, params: Fields) -> None:
        if not self.peer.has("2025-03-26"):
            params.pop("message", None)
        self._notify("notifications/progress", params)

    def _notify(self, method: str, params: Fields) -> None:
        self.channel.notify(method, self._related(params))

    def _related(self, params: Fields) -> Fields:
        """The parameters with the related task, which handshake versions require in messages."""
        if self.task is None or self.peer.modern:
            return params
        return {**params, "_meta": {RELATED: {"taskId": self.task.id}}}


# seconds between two progress reports: at least, and at most
MIN_INTERVAL: Final = 0.05
MAX_SILENCE: Final = 3.0
# increment of a report without new progress: the protocol requires increasing values
_STEP: Final = 0.001

Send = Callable[[dict[str, Any]], None]


class ProgressNotifier:
    """Progress notifications of one call, for the client's progress token."""

    def __init__(self, token: str | int, send: Send, now: float) -> None:
        self._token = token
        self._send = send
        self._began = now
        self._sent: float | None = None
        self._value = 0.0
        self._done = self._of = 0
        # the value that earlier phases reached
        self._before = 0
        self._what = ""

    def report(self, done: int, total: int, what: str, now: float) -> None:
        """Send a report, unless the last one was sent just before."""
        if done < self._done and total != self._of:  # a new phase, counted from zero
            self._before = math.ceil(self._value)
        self._done, self._of, self._what = done, total, what
        if self._sent is None or now - self._sent >= MIN_INTERVAL:
            self._report(self._before + done, what, now)

    def tick(self, now: float) -> None:
        """Send a report that the work continues, if none was sent for long."""
        if now - (self._began if self._sent is None else self._sent) >= MAX_SILENCE:
            state = f"still working, {now - self._began:.0f} s so far"
            self._report(0, f"{self._what} ({state})" if self._what else state, now)

    def _report(self, done: float, what: str, now: float) -> None:
        value = done if done > self._value else round(self._value + _STEP, 3)
        found: dict[str, Any] = {"progressToken": self._token, "progress": value}
        if self._of and self._before + self._of >= value:
            found["total"] = self._before + self._of
        if what:
            found["message"] = what
        self._value, self._sent = value, now
        self._send(found)


class Request(NamedTuple):
    """A request and its sender."""

    method: str
    params: Mapping[str, Any]
    peer: Peer
    # the connection, which owns the tasks it may list
    owner: str


class ThreadJob(NamedTuple):
    """Work for another thread; `run` returns the result, or None if there is no answer to send."""

    call: Call
    run: Callable[[], Fields | None]
    # thread pool: "call", "task" (already answered) or "wait" (for a task's end)
    kind: str = "call"


class Plan(NamedTuple):
    """The plan of a request: an answer (JSON), work, or both."""

    body: str | None = None
    job: ThreadJob | None = None
