"""Keeps freed memory small: one arena for all threads, whose free pages go back to the system.

glibc keeps an arena of freed memory for each thread that allocates at the same time as another.
Calls and refreshes run on many threads, so without this the process grows to the sum of their
largest work. Threads that run Python take turns anyway.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

# M_ARENA_MAX of glibc's malloc.h
_ARENA_MAX: Final = -8


def share_arena() -> bool:
    """Let threads that start from now on allocate where others do; whether that is possible."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 not before the first call

    with suppress(OSError, AttributeError):  # another C library has no such function
        return bool(ctypes.CDLL(None).mallopt(_ARENA_MAX, 1))
    return False


def release_freed_memory() -> bool:
    """Give back the free pages of all arenas; whether the C library can do that."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 not before the first refresh

    with suppress(OSError, AttributeError):  # another C library has no such function
        ctypes.CDLL(None).malloc_trim(0)
        return True
    return False
