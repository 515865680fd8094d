"""A fixed piece of work: what an operation takes is told as a multiple of it.

It does what the product does, in about the same shares: Python objects, arrays, and bytes. So a
ratio holds on other machines, and on a busy one, as far as any figure can.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from typing import Final

import numpy as np
import xxhash

_WORDS: Final = [f"name_{number * 7919 % 4001:x}" for number in range(4000)]
_TEXT: Final = " ".join(_WORDS).encode()
_NUMBERS: Final = np.arange(60_000, dtype=np.uint32) * np.uint32(2_654_435_761)


def calibrate() -> int:
    """The work; some milliseconds."""
    counts: dict[str, int] = {}
    for word in _WORDS:
        part = word.partition("_")[2]
        counts[part] = counts.get(part, 0) + len(part)
    packed = zlib.compress(_TEXT, 1)
    order = np.argsort(_NUMBERS & 0xFFFF, kind="stable")
    digest = xxhash.xxh3_64_intdigest(zlib.decompress(packed))
    return len(sorted(counts.items())) + int(order[17]) + digest


def least_seconds(work: Callable[[], object], rounds: int) -> float:
    """Processor time of the quickest round: what interferes only ever adds to it."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def multiple(seconds: Callable[[], float], rounds: int) -> float:
    """The least seconds of an operation in the fixed work's; both take turns."""
    taken = fixed = float("inf")
    for _ in range(rounds):
        fixed = min(fixed, least_seconds(calibrate, 3))
        taken = min(taken, seconds())
    return taken / fixed
