"""Waiting for threads and processes until they are done; only a hang reaches the limit."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

# seconds: far more than anything takes on a machine that is busy with other work
HANG: Final = 300
_POLL: Final = 0.01


def until(condition: Callable[[], bool]) -> bool:
    """True if the condition comes true; asked again and again."""
    waiting = threading.Event()
    end = time.monotonic() + HANG
    while not (found := condition()) and time.monotonic() < end:
        waiting.wait(_POLL)
    return found


def is_running(number: int) -> bool:
    """True if there is a process of this number that has not ended."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    try:  # where nobody asks how it ended, its number stays
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] not in "ZX"
