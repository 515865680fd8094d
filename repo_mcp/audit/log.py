"""The audit log: one line of JSON for each call and what it showed, in the data folder.

Any number of processes append to it, each line with one write; a line left unfinished by a killed
process is ended first. A full file is renamed, by one process at a time, and a few of those are
kept. Lines contain no file text, no secret and no denied path (see `safety/redaction.py`).
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Final

from index_format import FileStore, IndexFormatError
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.audit.record import AuditEntry, format_entry, parse_entry, parse_time
from repo_mcp.safety.denylist import Denylist

__all__ = ["NAME", "AuditEntry", "AuditLog", "Recent", "parse_time"]

NAME: Final = "audit.jsonl"
_OLDER: Final = ("audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl")
# size at which the log is rotated
_MAX_BYTES: Final = 4 << 20
# longest part that is read of one file, which may not be ours
_MAX_READ: Final = 16 << 20
# seconds that an append waits for the lock where it needs one
_LOCK_SECONDS: Final = 0.2
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
    """Entries, newest first; whether there are older ones; and how many lines are not entries."""

    entries: list[AuditEntry]
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
        max_bytes: int = _MAX_BYTES,
    ) -> None:
        """Keep the settings; opens nothing. Links below `root` are not followed."""
        self._data_dir = data_dir
        self._denylist = denylist or Denylist()
        self._root = root
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._prepared = self._warned = False

    def record(self, entry: AuditEntry) -> str:
        """Append an entry; returns a warning the first time that fails, else an empty text."""
        try:
            self._append(format_entry(entry, self._denylist))
        except (OSError, ValueError, RecursionError) as error:
            return self._warning(error)
        return ""

    def recent(self, since: str = "", limit: int = 20, after: str = "", token: str = "") -> Recent:
        """The newest entries, none before `since`; with `after`, only those before that request.

        With the name of a `token`, only those of its calls; other lines are not counted.

        `since` is a time in RFC 3339 format; anything else raises a problem.
        """
        earliest = parse_time(since) if since else None
        found: list[AuditEntry] = []
        skipped = 0
        collecting = not after
        for line in self._lines():
            entry = parse_entry(line, self._denylist)
            if entry is None:
                skipped += not token
            elif token and entry.token != token:
                continue
            elif not collecting:
                collecting = entry.request_id == after
            elif earliest is None or parse_time(entry.time) >= earliest:
                if len(found) == limit:
                    return Recent(found, more=True, skipped=skipped)
                found.append(entry)
        return Recent(found, more=False, skipped=skipped)

    def _warning(self, error: Exception) -> str:
        with self._lock:
            if self._warned:
                return ""
            self._warned = True
        reason = (error.strerror or "") if isinstance(error, OSError) else ""
        return f"calls can't be written to the audit log: {reason or type(error).__name__}"

    def _append(self, line: bytes) -> None:
        if not self._prepared:
            self._check_folder()
            side_files.prepare(self._data_dir)
            self._prepared = True
        try:
            size = self._write(line)
        except FileNotFoundError:  # the folder was removed meanwhile
            self._check_folder()
            side_files.prepare(self._data_dir)
            size = self._write(line)
        if size > self._max_bytes:
            self._rotate()

    def _check_folder(self) -> None:
        """Refuse a data folder behind a link of the repository."""
        folder, above = self._data_dir, self._root.rstrip(os.sep) + os.sep
        while self._root and folder.startswith(above):
            if os.path.islink(folder):
                raise NotADirectoryError(0, "the data folder is a link")
            folder = os.path.dirname(folder)

    def _write(self, line: bytes) -> int:
        """Append a line; returns the size of the file."""
        path = os.path.join(self._data_dir, NAME)
        with self._lock_if_needed():
            descriptor = os.open(path, _APPEND, 0o600)
            try:
                return _append_line(descriptor, line)
            finally:
                os.close(descriptor)

    def _rotate(self) -> None:
        """Rename the files, unless another process is doing so or has just done it."""
        # FileNotFoundError: another process has just renamed the file and nothing was written since
        # PermissionError: on Windows a file can't be renamed while it is open
        ignored = (IndexFormatError, FileNotFoundError, PermissionError)
        with suppress(*ignored), FileStore(self._data_dir).lock(0.0):
            path = os.path.join(self._data_dir, NAME)
            if os.lstat(path).st_size <= self._max_bytes:
                return
            names = (NAME, *_OLDER)
            for number in range(len(_OLDER), 0, -1):
                with suppress(FileNotFoundError):
                    os.replace(
                        os.path.join(self._data_dir, names[number - 1]),
                        os.path.join(self._data_dir, names[number]),
                    )

    def _lock_if_needed(self) -> AbstractContextManager[object]:
        """The lock where appending is not atomic (Windows), unless it stays taken too long."""
        stack = ExitStack()
        if os.name == "nt":
            with suppress(IndexFormatError):  # without the lock the line is written all the same
                stack.enter_context(FileStore(self._data_dir).lock(_LOCK_SECONDS))
        return stack

    def _lines(self) -> Iterator[bytes]:
        """All lines, last one first; a file that is renamed meanwhile is read once."""
        read: set[tuple[int, int]] = set()
        for name in (NAME, *_OLDER):
            data, identity = _read_end(os.path.join(self._data_dir, name))
            if identity not in read:
                read.add(identity)
                yield from (line for line in reversed(data.split(b"\n")) if line)


def _append_line(descriptor: int, line: bytes) -> int:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "the log is not a file")
    if found.st_size:
        os.lseek(descriptor, -1, os.SEEK_END)
        if os.read(descriptor, 1) != b"\n":  # end the line that a killed process left unfinished
            line = b"\n" + line
    if os.write(descriptor, line) < len(line):
        raise OSError(0, "the disk is full")
    return found.st_size + len(line)


def _read_end(path: str) -> tuple[bytes, tuple[int, int]]:
    """The end of a file, with its device and inode; empty if it can't be read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return b"", (0, 0)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        return b"", (0, 0)
    with os.fdopen(descriptor, "rb") as file:
        if found.st_size > _MAX_READ:
            file.seek(-_MAX_READ, os.SEEK_END)
            file.readline()
        return file.read(_MAX_READ), (found.st_dev, found.st_ino)
