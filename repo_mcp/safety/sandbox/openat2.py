"""Opens below a folder with Linux's `openat2`: the kernel refuses a path that leaves it.

No link is followed at all, so the opened names are the real ones.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Final

# the system call's number is the same on every architecture that Python runs on
_OPENAT2: Final = 437
_NO_MAGIC_LINKS: Final = 0x02
_NO_LINKS: Final = 0x04
_BENEATH: Final = 0x08
_RESOLVE: Final = _BENEATH | _NO_MAGIC_LINKS | _NO_LINKS
_ATTEMPTS: Final = 16


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_HOW_BYTES: Final = ctypes.sizeof(_OpenHow)


@cache
def is_available() -> bool:
    """True if this kernel has the call and nothing (such as seccomp) forbids it."""
    if sys.platform != "linux":
        return False
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(open_beneath(folder, ".", os.O_RDONLY | os.O_DIRECTORY))
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


def open_beneath(folder: int, path: str, flags: int) -> int:
    """Open a relative path; fails with `EXDEV` if it leads outside, `ELOOP` if it has a link.

    Retries on `EAGAIN`, which the kernel returns if a folder was renamed meanwhile.
    """
    name, how, call = os.fsencode(path), _open_how(flags), _syscall()
    for _ in range(_ATTEMPTS):
        descriptor: int = call(_OPENAT2, folder, name, how, _HOW_BYTES)
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() not in {errno.EAGAIN, errno.EINTR}:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))


@cache
def _open_how(flags: int) -> bytes:
    """The call's `open_how` argument; it can be reused because the kernel only reads it."""
    return bytes(_OpenHow(flags | os.O_CLOEXEC, 0, _RESOLVE))


@cache
def _syscall() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    )
    return call
