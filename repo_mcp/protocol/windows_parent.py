"""The parent of a process on Windows: a handle to it, since its number stays when it ends."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import wintypes
from typing import Final

# to wait for its end, and to ask when it was created
_RIGHTS: Final = 0x00100000 | 0x1000


class WindowsParent:
    """The parent by a handle; without one, or if its number is another's now, it is not watched."""

    def __init__(self, kernel: ctypes.CDLL, number: int) -> None:
        """`number` is the parent's, which may have ended and be that of a later process by now."""
        self._kernel = kernel
        self._handle: int | None = kernel.OpenProcess(_RIGHTS, 0, number)
        if self._handle and not 0 < self._created(self._handle) <= self._created():
            self._handle = None

    def is_gone(self) -> bool:
        """True once the parent has ended."""
        # 0 is "signalled", which a process is once it has ended
        return bool(self._handle) and self._kernel.WaitForSingleObject(self._handle, 0) == 0

    def follow(self) -> None:
        """Watch nothing more: a process keeps its parent's number for ever."""
        self._handle = None

    def _created(self, handle: int | None = None) -> int:
        """When a process was created, or this one; 0 if Windows does not say."""
        created, ended, in_kernel, in_program = (wintypes.FILETIME() for _ in range(4))
        asked = handle or self._kernel.GetCurrentProcess()
        self._kernel.GetProcessTimes(asked, created, ended, in_kernel, in_program)
        return created.dwHighDateTime << 32 | created.dwLowDateTime


if sys.platform == "win32":

    def windows_parent() -> WindowsParent:
        """The parent of this process."""
        kernel = ctypes.WinDLL("kernel32")
        handle, number, time = wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.FILETIME)
        # a handle is as wide as a pointer
        kernel.OpenProcess.restype = kernel.GetCurrentProcess.restype = handle
        kernel.OpenProcess.argtypes = (number, wintypes.BOOL, number)
        kernel.GetProcessTimes.argtypes = (handle, time, time, time, time)
        kernel.WaitForSingleObject.argtypes = (handle, number)
        return WindowsParent(kernel, os.getppid())
