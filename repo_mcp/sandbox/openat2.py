"""Linux's own way to open below a folder: the kernel resolves the path and refuses to leave it."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import Final

# the number is the same on every architecture Python runs on
_OPENAT2: Final = 437
_NO_MAGIC_LINKS: Final = 0x02
_NO_LINKS: Final = 0x04
_BENEATH: Final = 0x08
_ATTEMPTS: Final = 16


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@cache
def available() -> bool:
    """Whether this kernel has the call, nothing forbids it, and /proc names what is open."""
    if not os.path.isdir("/proc/self/fd"):
        return False
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(open_beneath(folder, ".", os.O_RDONLY | os.O_DIRECTORY, follow=False))
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


def open_beneath(folder: int, path: str, flags: int, *, follow: bool) -> int:
    """Open a relative path; `EXDEV` where it leads outside, `ELOOP` at a link not to be followed.

    The kernel asks for another try when a folder was renamed meanwhile.
    """
    resolve = _BENEATH | _NO_MAGIC_LINKS | (0 if follow else _NO_LINKS)
    how = _How(flags | os.O_CLOEXEC, 0, resolve)
    for _ in range(_ATTEMPTS):
        descriptor = int(
            _library().syscall(
                _OPENAT2, folder, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how)
            )
        )
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() not in {errno.EAGAIN, errno.EINTR}:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
