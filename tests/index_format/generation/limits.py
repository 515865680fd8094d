"""Bounds on what a test may take, so that a hang or a memory bomb is a failure and not a wait."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

if sys.platform != "win32":
    import resource

_STATM = Path("/proc/self/statm")


@contextmanager
def bounded(seconds: int, extra_bytes: int) -> Iterator[None]:
    """Raise when the block takes longer, or when it asks for so much more memory (Linux only)."""
    if sys.platform == "win32" or not _STATM.exists():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        msg = f"not done after {seconds} s"
        raise TimeoutError(msg)

    now = int(_STATM.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    resource.setrlimit(resource.RLIMIT_AS, (now + extra_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
