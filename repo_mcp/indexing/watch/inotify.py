"""Linux's inotify by its system calls: folders are watched one by one, and links never followed.

An event is `struct inotify_event`: watch i32, mask u32, cookie u32, length u32, then so many bytes
of a name, filled up with zeros.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

MODIFY: Final = 0x2
ATTRIB: Final = 0x4
CLOSE_WRITE: Final = 0x8
MOVED_FROM: Final = 0x40
MOVED_TO: Final = 0x80
CREATE: Final = 0x100
DELETE: Final = 0x200
DELETE_SELF: Final = 0x400
MOVE_SELF: Final = 0x800
OVERFLOW: Final = 0x4000
IGNORED: Final = 0x8000
IS_FOLDER: Final = 0x40000000
_ONLY_FOLDERS: Final = 0x01000000
_NO_LINKS: Final = 0x02000000
_HEADER: Final = struct.Struct("=iIII")
_PIECE: Final = 1 << 18
_LIMITS: Final = {
    errno.ENOSPC: "the system's limit of watched folders is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the system's limit of watchers is reached (fs.inotify.max_user_instances)",
}


class LimitError(Exception):
    """The system watches no more; the text says which limit it is."""


class Event(NamedTuple):
    """What happened to an entry of a watched folder, or to the folder where there is no name."""

    watch: int
    mask: int
    name: str


class Inotify:
    """Watches of folders, and what they tell."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        self._calls = ctypes.CDLL(None, use_errno=True)
        self._calls.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._descriptor = self._called("inotify_init1", os.O_CLOEXEC | os.O_NONBLOCK)
        self._ready = select.poll()
        self._ready.register(self._descriptor, select.POLLIN)

    def add(self, path: str, mask: int) -> int:
        """Watch a folder, or again; gives its number. `OSError` where there is no such folder."""
        flags = mask | _ONLY_FOLDERS | _NO_LINKS
        return self._called("inotify_add_watch", self._descriptor, os.fsencode(path), flags)

    def remove(self, watch: int) -> None:
        """Watch a folder no longer; it may be gone."""
        self._calls.inotify_rm_watch(self._descriptor, watch)

    def events(self, seconds: float | None) -> list[Event]:
        """What happened; waits so long for the first of it. Names that are no text are left out."""
        if not self._ready.poll(None if seconds is None else seconds * 1000):
            return []
        return list(_events(os.read(self._descriptor, _PIECE)))

    def _called(self, name: str, *arguments: int | bytes) -> int:
        found: int = getattr(self._calls, name)(*arguments)
        if found < 0:
            number = ctypes.get_errno()
            if number in _LIMITS:
                raise LimitError(_LIMITS[number])
            raise OSError(number, os.strerror(number))
        return found


def _events(data: bytes) -> Iterator[Event]:
    at = 0
    while at < len(data):
        watch, mask, _, length = _HEADER.unpack_from(data, at)
        at += _HEADER.size + length
        try:
            yield Event(watch, mask, data[at - length : at].rstrip(b"\0").decode())
        except UnicodeDecodeError:
            continue
