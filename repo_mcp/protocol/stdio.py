"""MCP over standard input and output: frames, worker threads, shutdown.

The protocol gets its own descriptors; 0 and 1 are redirected to nowhere and to standard error, so
that no library's print can corrupt a message. The main thread reads and answers cheap requests;
tools run on worker threads, so that a long call delays neither a ping nor its own cancellation.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator

from index_format.annotations import TYPE_CHECKING, Final, NoReturn
from repo_mcp.allocator import share_arena
from repo_mcp.console import take_over
from repo_mcp.protocol.call import ThreadJob
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.jsonrpc import INVALID_REQUEST, WireError, error
from repo_mcp.protocol.session import Session
from repo_mcp.protocol.watchdog import PERIOD, Watchdog, own_parent

if TYPE_CHECKING:
    from queue import SimpleQueue

MAX_FRAME: Final = 8 * 1024 * 1024
_PIECE: Final = 64 * 1024


def serve(core: Core, clock: Callable[[], float] = time.monotonic, idle_hours: int = 0) -> NoReturn:
    """Serve until the input ends, a signal arrives, or nobody is there; never returns."""
    source, sink = take_over()
    leave_on_signals()
    wire = _Wire(sink)
    session = Session(core, wire.write)
    workers: Workers | None = None
    watchdog = Watchdog(own_parent(), clock, idle_hours)
    for frame in frames(pieces(source, watchdog.start)):
        watchdog.hear()
        if frame is None:
            wire.write(_too_long())
            continue
        job = session.receive(frame)
        if job is not None:
            workers = workers or Workers(session)
            workers.start(job)
            watchdog.start()
    if workers is None:
        session.end()
    else:
        workers.finish()
    os._exit(0)


def pieces(source: int, when_quiet: Callable[[], object]) -> Iterator[bytes]:
    """The bytes of the input; `when_quiet` is called once, when none arrive for a moment."""
    is_quiet = False
    while True:
        if not is_quiet and _is_quiet(source):
            is_quiet = True
            when_quiet()
        piece = os.read(source, _PIECE)
        if not piece:
            return
        yield piece


def _is_quiet(source: int) -> bool:
    if os.name == "nt":  # which can't wait for a pipe in this way
        return True
    import select  # noqa: PLC0415 the system that can

    waiting = select.poll()  # unlike `select`, for any number of open files
    waiting.register(source, select.POLLIN)
    return not waiting.poll(PERIOD * 1000)


def frames(given: Iterable[bytes]) -> Iterator[bytes | None]:
    """Lines without line feeds; None for one that is too long and was skipped."""
    rest: list[bytes] = []
    held = 0
    for piece in given:
        first, *following = piece.split(b"\n")
        for part in following:
            if held + len(first) > MAX_FRAME:
                yield None
            elif line := b"".join([*rest, first]).strip(b" \t\r"):
                yield line
            rest, held, first = [], 0, part
        held += len(first)
        rest = [*rest, first] if held <= MAX_FRAME else []


def _too_long() -> bytes:
    return error(WireError(INVALID_REQUEST, f"a message has at most {MAX_FRAME} bytes"))


class _Wire:
    """Writes whole messages, one at a time."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._lock = threading.Lock()

    def write(self, message: bytes) -> None:
        rest = memoryview(message)
        try:
            with self._lock:
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
        except OSError:  # the client has closed the pipe
            os._exit(0)


def leave_on_signals() -> None:
    """End the process on a signal without cleanup: the index survives a kill at any point."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


# most threads per kind of work; waiting threads must not block working ones
_THREADS: Final = {"call": 8, "task": 4, "wait": 64}
# seconds between two ticks
_TICK: Final = 0.5
# how long a call may run after its start before the end of the input cancels it: a longer one is
# unlikely to end soon, and waiting is expensive while other threads compute
_GRACE: Final = 0.03


class Workers:
    """Worker threads, started on demand; daemons, so they don't delay the end of the process."""

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._clock = clock
        self._pools = {kind: _Pool(most, session.perform, clock) for kind, most in _THREADS.items()}
        self._busy = threading.Event()
        self._ticks = False

    def start(self, job: ThreadJob) -> None:
        """Queue a job."""
        if not self._ticks:
            self._ticks = True
            share_arena()  # before the first thread
            threading.Thread(target=self._tick, daemon=True).start()
        self._pools[job.kind].start(job)
        self._busy.set()

    def finish(self) -> None:
        """Wait briefly for calls that have just begun, then cancel all."""
        calls = self._pools["call"]
        left = calls.begun + _GRACE - self._clock()
        if left > 0:
            calls.idle.wait(left)
        self._session.end()

    def _tick(self) -> None:
        while True:
            self._busy.wait()
            time.sleep(_TICK)
            self._session.tick()
            if not any(pool.open for pool in self._pools.values()):
                self._busy.clear()
                # a job may have started between the check and the clear
                if any(pool.open for pool in self._pools.values()):
                    self._busy.set()


class _Pool:
    """The threads for one kind of work."""

    def __init__(
        self, most: int, perform: Callable[[ThreadJob], None], clock: Callable[[], float]
    ) -> None:
        from queue import SimpleQueue  # noqa: PLC0415 not before a call

        self._most = most
        self._perform = perform
        self._clock = clock
        self._jobs: SimpleQueue[ThreadJob] = SimpleQueue()
        self._threads = 0
        self._lock = threading.Lock()
        self.open = 0
        # when the last job was queued
        self.begun = 0.0
        # set while there are no jobs
        self.idle = threading.Event()
        self.idle.set()

    def start(self, job: ThreadJob) -> None:
        with self._lock:
            self.open += 1
            self.begun = self._clock()
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
