"""Keeps the memory small that glibc's malloc holds for a process with many threads.

By default each thread that allocates at the same time as another gets an arena, which keeps what
its largest call has freed. Calls and refreshes run on many threads, so a server would grow to the
sum of their largest work. Threads that run Python take turns anyway: one arena serves them all.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from index_format.annotations import Final

# parameters of mallopt, from glibc's malloc.h, and their values
_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_TRIM_THRESHOLD: Final = -1
_ARENAS: Final = 1
# larger blocks go back to the system as soon as they are freed; by default this limit grows with
# the largest block that was ever freed
_LARGE: Final = 1 << 20
# free bytes at the end of the heap that are kept
_SPARE: Final = 8 << 20


def share_arena() -> bool:
    """Let all threads that start from now on allocate in one arena; whether that is possible."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 not before the first call

    with suppress(OSError, AttributeError):  # another C library has no such function
        mallopt = ctypes.CDLL(None).mallopt
        limits = ((_ARENA_MAX, _ARENAS), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _SPARE))
        return all(mallopt(name, value) for name, value in limits)
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
