"""Waiting for what another thread or process does: as short as it takes, never for a set time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

SECONDS = 20.0


def until(condition: Callable[[], bool]) -> bool:
    """Whether it comes true in time; asked again and again."""
    waiting = threading.Event()
    for _ in range(int(SECONDS / 0.01)):
        if condition():
            return True
        waiting.wait(0.01)
    return False


def is_running(number: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    try:  # where nobody asks how it ended, its number stays
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] not in "ZX"
