"""Gives memory that was freed back to the system.

glibc keeps an arena of freed memory for each thread that allocates at the same time as another.
Calls and refreshes run on many threads, so without this the process grows to the sum of their
largest work.
"""

from __future__ import annotations

import sys
from contextlib import suppress


def release_freed_memory() -> bool:
    """Give back the free pages of all arenas; whether the C library can do that."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 not before the first refresh

    with suppress(OSError, AttributeError):  # another C library has no such function
        ctypes.CDLL(None).malloc_trim(0)
        return True
    return False
