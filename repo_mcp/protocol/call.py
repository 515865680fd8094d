"""A running call: cancellation, progress reports, log lines and sampling."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from repo_mcp.protocol import sampling
from repo_mcp.protocol.eras import Peer
from repo_mcp.protocol.task import RELATED, Task

# a tool that would fill a client's log is kept from it
_MOST_LINES: Final = 200
_LOGGER: Final = "repo-mcp"

Fields = dict[str, Any]


class Line(Protocol):
    """The way to the client that a call came from."""

    def notify(self, method: str, params: Fields) -> None:
        """Send what nobody answers."""
        ...

    def ask(self, method: str, params: Fields, seconds: float, call: Call) -> Fields | None:
        """Send a request and wait for its result; None where none comes, or nobody wants it."""
        ...


class Call:
    """Handed to whoever does the work; every method may be called from any thread."""

    def __init__(
        self,
        peer: Peer,
        line: Line,
        meta: Mapping[str, Any],
        answers: sampling.Answers,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.peer = peer
        self.line = line
        self.answers = answers
        self.task: Task | None = None
        # whether it may become a task that nobody asked for
        self.promotable = False
        self.began = clock()
        self._clock = clock
        self._lock = threading.RLock()
        self._open = True
        self._lines = 0
        self._cancelled = threading.Event()
        self._wake: Callable[[], None] | None = None
        token = meta.get("progressToken")
        self._progress: Progress | None = None
        if isinstance(token, str | int) and not isinstance(token, bool):
            self._progress = Progress(token, self._tell_progress, self.began)

    @property
    def client(self) -> str:
        """The client's name and version."""
        return self.peer.client

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Nobody waits any more: what runs finds out, what waits is woken."""
        self._cancelled.set()
        wake = self._wake
        if wake is not None:
            wake()

    def when_cancelled(self, wake: Callable[[], None] | None) -> None:
        """Have this called on cancellation, at once where that has come already."""
        self._wake = wake
        if wake is not None and self._cancelled.is_set():
            wake()

    def close(self) -> None:
        """The end has come: nothing is told any more."""
        with self._lock:
            self._open = False

    def settle(self) -> bool:
        """The answer follows and nothing is told any more, unless this is a task: whether so."""
        with self._lock:
            if self.task is None:
                self._open = False
            return self.task is None

    def promote(self, create: Callable[[Call], Task]) -> Task | None:
        """Become a task, unless the answer is on its way or nobody waits for it."""
        with self._lock:
            if not self._open or self.task is not None or self.is_cancelled():
                return None
            return create(self)

    def progress(self, done: int, total: int, what: str) -> None:
        """Tell how far it has come: who gave a token, and who asks about its task."""
        with self._lock:
            if not self._open:
                return
            if self.task is not None:
                self.task.tell(f"{what}: {done} of {total}" if total else what)
            if self._progress is not None:
                self._progress.report(done, total, what, self._clock())

    def tick(self) -> None:
        """Tell that it goes on, if it was silent for long."""
        if self._progress is not None:
            with self._lock:
                if self._open:
                    self._progress.tick(self._clock())

    def log(self, level: str, text: str) -> None:
        """Send a line to the client's log."""
        with self._lock:
            if not self._open or self._lines >= _MOST_LINES:
                return
            if is_wanted(level, self.peer.log_level):
                self._lines += 1
                self._notify(
                    "notifications/message", {"level": level, "logger": _LOGGER, "data": text}
                )

    def sample(self, prompt: str, tokens: int) -> str | None:
        """The answer of the client's model."""
        if "sampling" not in self.peer.capabilities or self.is_cancelled():
            return None
        params = sampling.question(prompt, tokens)
        if self.task is not None:
            return sampling.text_of(self.task.ask(self._related(params)))
        if self.peer.modern:
            return sampling.ask_in_rounds(self.answers, params)
        return sampling.text_of(self.ask_client(self._related(params)))

    def ask_client(self, params: Fields) -> Fields | None:
        """The client's answer to a question for its model; None where none comes in time."""
        return self.line.ask(sampling.METHOD, params, sampling.SECONDS, self)

    def _tell_progress(self, params: Fields) -> None:
        if not self.peer.has("2025-03-26"):
            params.pop("message", None)
        self._notify("notifications/progress", params)

    def _notify(self, method: str, params: Fields) -> None:
        self.line.notify(method, self._related(params))

    def _related(self, params: Fields) -> Fields:
        """With the task that it is about, where the era says so in every message."""
        if self.task is None or self.peer.modern:
            return params
        return {**params, "_meta": {RELATED: {"taskId": self.task.id}}}


# the shortest time between two reports, and the longest without one, in seconds
APART: Final = 0.05
SILENCE: Final = 3.0
# what a report adds where nothing more is done than at the last one: values must grow
_STEP: Final = 0.001

Send = Callable[[dict[str, Any]], None]


class Progress:
    """Reports of one call to the client that gave a token for them."""

    def __init__(self, token: str | int, send: Send, now: float) -> None:
        self._token = token
        self._send = send
        self._began = now
        self._sent: float | None = None
        self._value = 0.0
        self._done = self._of = 0
        # what earlier stretches of the work came to
        self._before = 0
        self._what = ""

    def report(self, done: int, total: int, what: str, now: float) -> None:
        """Tell it, unless something was told just before."""
        if done < self._done and total != self._of:  # another stretch of work, counted anew
            self._before = math.ceil(self._value)
        self._done, self._of, self._what = done, total, what
        if self._sent is None or now - self._sent >= APART:
            self._tell(self._before + done, what, now)

    def tick(self, now: float) -> None:
        """Tell that the work goes on, if nothing was told for long."""
        if now - (self._began if self._sent is None else self._sent) >= SILENCE:
            going = f"still working, {now - self._began:.0f} s so far"
            self._tell(0, f"{self._what} ({going})" if self._what else going, now)

    def _tell(self, done: float, what: str, now: float) -> None:
        value = done if done > self._value else round(self._value + _STEP, 3)
        found: dict[str, Any] = {"progressToken": self._token, "progress": value}
        if self._of and self._before + self._of >= value:
            found["total"] = self._before + self._of
        if what:
            found["message"] = what
        self._value, self._sent = value, now
        self._send(found)


LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
# what a client of the handshake is sent until it asks for something else
BEFORE_ASKED: Final = "warning"


def is_wanted(level: str, least: str) -> bool:
    """Whether a message of this level is to be sent; without a known least level none is."""
    if least not in LEVELS or level not in LEVELS:
        return False
    return LEVELS.index(level) >= LEVELS.index(least)


class Request(NamedTuple):
    """A request with what is known of its sender."""

    method: str
    params: Mapping[str, Any]
    peer: Peer
    # which connection's tasks it may list
    owner: str


class Job(NamedTuple):
    """Work for another thread; `run` gives what to answer, None for nothing."""

    call: Call
    run: Callable[[], Fields | None]
    # "call", or what may take long without anybody being answered: "task", "wait"
    kind: str = "call"


class Plan(NamedTuple):
    """How a request is served: with an answer (JSON already), with work, or with both."""

    body: str | None = None
    job: Job | None = None
