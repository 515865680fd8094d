"""A session over standard input and output: frames, threads, and leaving in time.

The protocol gets descriptors of its own; 0 and 1 then lead nowhere and to standard error, so that
no print of any library can spoil a message. The main thread reads and answers what is cheap; tools
run on workers, so that a long call holds up neither a ping nor its own cancellation.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from typing import Final, NoReturn

from repo_mcp.protocol.core import Core
from repo_mcp.protocol.jsonrpc import INVALID_REQUEST, WireError, error
from repo_mcp.protocol.session import Session
from repo_mcp.protocol.workers import Workers
from repo_mcp.standard_streams import taken_over

MAX_FRAME: Final = 8 * 1024 * 1024
_PIECE: Final = 64 * 1024


def serve(core: Core) -> NoReturn:
    """Serve until the input ends or a signal comes; never returns."""
    source, sink = taken_over()
    leave_on_signals()
    wire = _Wire(sink)
    session = Session(core, wire.write)
    workers = Workers(session)
    for frame in frames(source):
        if frame is None:
            wire.write(_too_long())
            continue
        job = session.receive(frame)
        if job is not None:
            workers.start(job)
    workers.finish()
    os._exit(0)


def frames(source: int) -> Iterator[bytes | None]:
    """Lines without their line feeds; None for one that is too long and was passed over."""
    rest: list[bytes] = []
    held = 0
    while piece := os.read(source, _PIECE):
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
        except OSError:  # nobody listens any more
            os._exit(0)


def leave_on_signals() -> None:
    """Leave at once, whatever any thread holds: the index is safe against a kill at any point."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
