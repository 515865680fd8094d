"""Windows system calls through ctypes; `windows_answers` interprets the results."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

from repo_mcp.safety.sandbox import windows_records
from repo_mcp.safety.sandbox.windows_answers import Information

_READ: Final = 0x80000000
_SHARE_ALL: Final = 0x7
_EXISTING: Final = 3
_FOLDERS_TOO: Final = 0x02000000
_REPARSE_POINT_ITSELF: Final = 0x00200000
_IS_REPARSE_POINT: Final = 0x400
_DISK: Final = 1
_BASIC_INFO: Final = 0
_TAG_INFO: Final = 9
_ENTRIES: Final = 10
_ENTRIES_FROM_FIRST: Final = 11
_GET_REPARSE_POINT: Final = 0x000900A8
_NO_MORE_FILES: Final = 18
_PATH_LENGTH: Final = 32_768
_REPARSE_BYTES: Final = 16_384
_LISTING_BYTES: Final = 1 << 16
_PIECE: Final = 1 << 20

if sys.platform == "win32":
    from ctypes import wintypes

    class WindowsKernel:
        """Windows' own `Kernel`."""

        def __init__(self) -> None:
            """Declare the calls' types: a handle is as wide as a pointer."""
            self._calls = calls = ctypes.WinDLL("kernel32", use_last_error=True)
            handle, number, place = wintypes.HANDLE, wintypes.DWORD, ctypes.c_void_p
            text, count = wintypes.LPWSTR, ctypes.POINTER(wintypes.DWORD)
            calls.CreateFileW.restype = handle
            calls.CreateFileW.argtypes = (text, number, number, place, number, number, handle)
            calls.CloseHandle.argtypes = (handle,)
            calls.GetFileType.argtypes = (handle,)
            calls.GetFinalPathNameByHandleW.argtypes = (handle, text, number, number)
            calls.GetFileInformationByHandle.argtypes = (handle, place)
            calls.GetFileInformationByHandleEx.argtypes = (handle, number, place, number)
            calls.SetFilePointerEx.argtypes = (handle, ctypes.c_longlong, place, number)
            calls.ReadFile.argtypes = (handle, place, number, count, place)
            calls.DeviceIoControl.argtypes = (
                *(handle, number, place, number, place, number),
                *(count, place),
            )

        def open(self, path: str, *, through: bool) -> int:
            """Open for reading; others may still write, rename or remove the file."""
            flags = _FOLDERS_TOO | (0 if through else _REPARSE_POINT_ITSELF)
            found = self._calls.CreateFileW(path, _READ, _SHARE_ALL, None, _EXISTING, flags, None)
            if found is None or found == ctypes.c_void_p(-1).value:
                raise _last_error()
            return int(found)

        def final_path(self, handle: int) -> str:
            """The handle's real path, with the drive letter."""
            text = ctypes.create_unicode_buffer(_PATH_LENGTH)
            length = self._calls.GetFinalPathNameByHandleW(handle, text, _PATH_LENGTH, 0)
            if not 0 < length < _PATH_LENGTH:
                raise _last_error()
            return text.value

        def is_disk(self, handle: int) -> bool:
            """True if the handle is a file on disk."""
            return bool(self._calls.GetFileType(handle) == _DISK)

        def information(self, handle: int) -> Information:
            """Properties of the open file."""
            by_handle = ctypes.create_string_buffer(windows_records.HANDLE_BYTES)
            _check(self._calls.GetFileInformationByHandle(handle, by_handle))
            basic = self._information(handle, _BASIC_INFO, windows_records.BASIC_BYTES)
            tag = 0
            if int.from_bytes(by_handle.raw[:4], "little") & _IS_REPARSE_POINT:
                tag = int.from_bytes(self._information(handle, _TAG_INFO, 8)[4:], "little")
            return windows_records.information(by_handle.raw, basic, tag)

        def link_target(self, handle: int) -> str:
            """The target of a symbolic link."""
            buffer = ctypes.create_string_buffer(_REPARSE_BYTES)
            got = wintypes.DWORD()
            _check(
                self._calls.DeviceIoControl(
                    *(handle, _GET_REPARSE_POINT, None, 0, buffer, _REPARSE_BYTES),
                    *(ctypes.byref(got), None),
                )
            )
            return windows_records.link_target(buffer.raw[: got.value])

        def entries(self, handle: int) -> list[tuple[str, Information]]:
            """The entries of an open folder."""
            found: list[tuple[str, Information]] = []
            what = _ENTRIES_FROM_FIRST
            while True:
                try:
                    buffer = self._information(handle, what, _LISTING_BYTES)
                except OSError as error:
                    if error.winerror == _NO_MORE_FILES:
                        return found
                    raise
                found += windows_records.entries(buffer)
                what = _ENTRIES

        def read(self, handle: int, most: int) -> bytes:
            """Up to `most` bytes from the beginning."""
            _check(self._calls.SetFilePointerEx(handle, 0, None, 0))
            pieces: list[bytes] = []
            buffer = ctypes.create_string_buffer(min(most, _PIECE))
            got = wintypes.DWORD()
            left = most
            while left > 0:
                size = min(left, len(buffer))
                _check(self._calls.ReadFile(handle, buffer, size, ctypes.byref(got), None))
                if not got.value:
                    break
                pieces.append(ctypes.string_at(buffer, got.value))
                left -= got.value
            return b"".join(pieces)

        def close(self, handle: int) -> None:
            """Close the handle."""
            self._calls.CloseHandle(handle)

        def _information(self, handle: int, what: int, size: int) -> bytes:
            buffer = ctypes.create_string_buffer(size)
            _check(self._calls.GetFileInformationByHandleEx(handle, what, buffer, size))
            return buffer.raw

    def _check(done: int) -> None:
        if not done:
            raise _last_error()

    def _last_error() -> OSError:
        return ctypes.WinError(ctypes.get_last_error())
