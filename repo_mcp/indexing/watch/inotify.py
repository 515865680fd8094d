"""Linux's inotify by its system calls: watches single folders, never through links.

An event is `struct inotify_event`: watch i32, mask u32, cookie u32, length u32, then a name of
`length` bytes, padded with zeros.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
from collections.abc import Iterator
from typing import Final

from index_format.tuples import NamedTuple

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
_BUFFER_BYTES: Final = 1 << 18
_LIMITS: Final = {
    errno.ENOSPC: "the system's limit of watched folders is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the system's limit of watchers is reached (fs.inotify.max_user_instances)",
}


class LimitError(Exception):
    """A limit of the system on watches is reached; the message names it."""


class Event(NamedTuple):
    """A change of an entry of a watched folder, or without a name of the folder itself."""

    watch: int
    mask: int
    name: str


class Inotify:
    """An inotify instance: watches and their events."""

    def __init__(self, wake: int | None = None) -> None:
        """Open the instance, without watches; waiting ends when `wake` can be read, too."""
        self._calls = ctypes.CDLL(None, use_errno=True)
        self._calls.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._descriptor = self._call("inotify_init1", os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        if wake is not None:
            self._poll.register(wake, select.POLLIN)

    def add(self, path: str, mask: int) -> int:
        """Watch a folder; returns the number of the watch. `OSError` if it is no folder."""
        flags = mask | _ONLY_FOLDERS | _NO_LINKS
        return self._call("inotify_add_watch", self._descriptor, os.fsencode(path), flags)

    def remove(self, watch: int) -> None:
        """Remove a watch; its folder may be gone."""
        self._calls.inotify_rm_watch(self._descriptor, watch)

    def events(self, seconds: float | None) -> list[Event]:
        """Events; waits up to `seconds` for the first. Names that are not UTF-8 are left out."""
        self._poll.poll(None if seconds is None else seconds * 1000)
        try:
            return list(_parse_events(os.read(self._descriptor, _BUFFER_BYTES)))
        except BlockingIOError:
            return []

    def _call(self, name: str, *arguments: int | bytes) -> int:
        found: int = getattr(self._calls, name)(*arguments)
        if found < 0:
            number = ctypes.get_errno()
            if number in _LIMITS:
                raise LimitError(_LIMITS[number])
            raise OSError(number, os.strerror(number))
        return found


def _parse_events(data: bytes) -> Iterator[Event]:
    at = 0
    while at < len(data):
        watch, mask, _, length = _HEADER.unpack_from(data, at)
        at += _HEADER.size + length
        try:
            yield Event(watch, mask, data[at - length : at].rstrip(b"\0").decode())
        except UnicodeDecodeError:
            continue
