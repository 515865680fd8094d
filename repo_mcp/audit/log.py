"""The audit log: who was shown what, one line of JSON for each call, in the data folder.

Any number of processes write to it: a line is appended by one write to a file that was opened for
appending, and begins anew after whatever a process that was killed left behind. A file that has
grown full is renamed, by one process at a time; a few of those are kept. What is written holds no
text of a file, no secret and no path that is denied (see `withheld`).
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Final, NamedTuple

from index_format import FileStore, IndexFormatError
from repo_mcp import side_files
from repo_mcp.audit.record import Entry, entry_of, line_of, time_of
from repo_mcp.safety.denylist import Denylist

__all__ = ["NAME", "AuditLog", "Entry", "Recent", "time_of"]

NAME: Final = "audit.jsonl"
_OLDER: Final = ("audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl")
_MOST_BYTES: Final = 4 << 20
# what is read of one file: it may be somebody else's
_MOST_READ: Final = 16 << 20
_SHORT_WAIT: Final = 0.2
_APPEND: Final = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_READ: Final = os.O_RDONLY | (_APPEND & ~(os.O_RDWR | os.O_CREAT | os.O_APPEND))


class Recent(NamedTuple):
    """Entries, newest first; whether there are older ones; and lines that are none of ours."""

    entries: list[Entry]
    more: bool
    skipped: int


class AuditLog:
    """The log of one data folder."""

    def __init__(
        self,
        data_dir: str,
        denylist: Denylist | None = None,
        *,
        root: str = "",
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        """Say where; nothing is read or written yet. Links below `root` are not followed."""
        self._data_dir = data_dir
        self._denylist = denylist or Denylist()
        self._root = root
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._prepared = self._warned = False

    def record(self, entry: Entry) -> str:
        """Write a call down; gives what to say the first time that fails, else nothing."""
        try:
            self._append(line_of(entry, self._denylist))
        except (OSError, ValueError, RecursionError) as error:
            return self._warning(error)
        return ""

    def recent(self, since: str = "", limit: int = 20, after: str = "") -> Recent:
        """The newest entries, none before `since`; with `after`, those older than this request's.

        `since` is a time as RFC 3339 writes it; anything else is a problem.
        """
        earliest = time_of(since) if since else None
        found: list[Entry] = []
        skipped = 0
        begun = not after
        for line in self._lines():
            entry = entry_of(line, self._denylist)
            if entry is None:
                skipped += 1
            elif not begun:
                begun = entry.request_id == after
            elif earliest is None or time_of(entry.time) >= earliest:
                if len(found) == limit:
                    return Recent(found, more=True, skipped=skipped)
                found.append(entry)
        return Recent(found, more=False, skipped=skipped)

    def _warning(self, error: Exception) -> str:
        with self._lock:
            if self._warned:
                return ""
            self._warned = True
        said = (error.strerror or "") if isinstance(error, OSError) else ""
        return f"calls can't be written to the audit log: {said or type(error).__name__}"

    def _append(self, line: bytes) -> None:
        if not self._prepared:
            self._check_folder()
            side_files.prepare(self._data_dir)
            self._prepared = True
        try:
            size = self._written(line)
        except FileNotFoundError:  # somebody removed the folder
            self._check_folder()
            side_files.prepare(self._data_dir)
            size = self._written(line)
        if size > self._most_bytes:
            self._rotate()

    def _check_folder(self) -> None:
        """Use no folder that a link of the repository leads to."""
        folder, above = self._data_dir, self._root.rstrip(os.sep) + os.sep
        while self._root and folder.startswith(above):
            if os.path.islink(folder):
                raise NotADirectoryError(0, "the data folder is a link")
            folder = os.path.dirname(folder)

    def _written(self, line: bytes) -> int:
        """Append a line; gives how large the file is then."""
        path = os.path.join(self._data_dir, NAME)
        with self._turn():
            descriptor = os.open(path, _APPEND, 0o600)
            try:
                return _add(descriptor, line)
            finally:
                os.close(descriptor)

    def _rotate(self) -> None:
        """Rename the files, unless another process is at it or has just done it."""
        # on some systems a file can't be renamed while somebody has it open
        with suppress(IndexFormatError, PermissionError), FileStore(self._data_dir).lock(0.0):
            path = os.path.join(self._data_dir, NAME)
            if os.lstat(path).st_size <= self._most_bytes:
                return
            names = (NAME, *_OLDER)
            for number in range(len(_OLDER), 0, -1):
                with suppress(FileNotFoundError):
                    os.replace(
                        os.path.join(self._data_dir, names[number - 1]),
                        os.path.join(self._data_dir, names[number]),
                    )

    def _turn(self) -> AbstractContextManager[object]:
        """Where appending is not one step, hold the lock if it is to be had soon."""
        held = ExitStack()
        if os.name == "nt":
            with suppress(IndexFormatError):  # a line is written in any case
                held.enter_context(FileStore(self._data_dir).lock(_SHORT_WAIT))
        return held

    def _lines(self) -> Iterator[bytes]:
        """All lines, the last one first; a file that is renamed meanwhile is read once."""
        read: set[tuple[int, int]] = set()
        for name in (NAME, *_OLDER):
            data, place = _content(os.path.join(self._data_dir, name))
            if place not in read:
                read.add(place)
                yield from (line for line in reversed(data.split(b"\n")) if line)


def _add(descriptor: int, line: bytes) -> int:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "the log is not a file")
    if found.st_size:
        os.lseek(descriptor, -1, os.SEEK_END)
        if os.read(descriptor, 1) != b"\n":  # a line that was never finished stays alone
            line = b"\n" + line
    if os.write(descriptor, line) < len(line):
        raise OSError(0, "the disk is full")
    return found.st_size + len(line)


def _content(path: str) -> tuple[bytes, tuple[int, int]]:
    """The end of a file, and which file it is; nothing where it can't be read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return b"", (0, 0)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        return b"", (0, 0)
    with os.fdopen(descriptor, "rb") as file:
        if found.st_size > _MOST_READ:
            file.seek(-_MOST_READ, os.SEEK_END)
            file.readline()
        return file.read(_MOST_READ), (found.st_dev, found.st_ino)
