"""Times calls, and starts builds in processes of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from math import ceil


def milliseconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(ceil(len(ordered) * share), 1) - 1]


def fork(build: Callable[[], object]) -> int:
    """Run a build in a child process; returns its number, and its exit status is 0 on success."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        build()
        status = 0
    finally:
        os._exit(status)
