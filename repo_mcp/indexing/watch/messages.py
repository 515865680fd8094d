"""The watched scope and the listener, which server and watch process share."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol

from index_format.records import Record, values_of
from repo_mcp.model import Settings
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import FolderId, Sandbox, open_root


class Listener(Protocol):
    """Receives changes."""

    def look_at(self, paths: Iterable[str]) -> None:
        """These files changed.

        A path that ends with "/" is a folder that was created or removed. It stands for every file
        below it that the listener knows: one may have been read there while nothing watched the
        folder, and no event will ever name it.
        """

    def walk(self) -> None:
        """More than single files may have changed."""


class Reporter(Listener, Protocol):
    """Receives changes, and tells which request for them was answered."""

    def answer(self, ticket: int) -> None:
        """All changes from before this request were reported."""


_WAKE: Final = b"\0"
_MOST_WAKES: Final = 1 << 16


class ReportRequests:
    """Requests to report all changes at once; `descriptor` can be read while one waits."""

    def __init__(self) -> None:
        """No request waits."""
        self.descriptor, self._sink = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll = select.poll()
        self._poll.register(self.descriptor, select.POLLIN)
        self._latest = 0

    def add(self, ticket: int) -> None:
        """Add a request; tickets ascend."""
        self._latest = ticket
        with suppress(BlockingIOError):  # it can be read already
            os.write(self._sink, _WAKE)

    @property
    def is_waiting(self) -> bool:
        """True while a request waits."""
        return bool(self._poll.poll(0))

    def take(self) -> int:
        """The latest request, which no longer waits; 0 if none waits."""
        if not self.is_waiting:
            return 0
        os.read(self.descriptor, _MOST_WAKES)
        return self._latest


class WatchScope(Record):
    """The part of the settings that the watch process needs."""

    root: str
    data_dir: str
    deny_globs: tuple[str, ...]
    exclude_globs: tuple[str, ...]
    entries: tuple[str, ...] = ()
    real_root: str = ""
    # the folder that has to be at the root; empty: any
    folder: tuple[int, ...] = ()
    # folders that a walk has entered before, each with its slash and a NUL behind it
    known_folders: bytes = b""

    @classmethod
    def of(cls, settings: Settings, folder: FolderId | None = None) -> WatchScope:
        """The scope of these settings."""
        return cls(
            settings.root,
            settings.data_dir,
            settings.deny_globs,
            settings.exclude_globs,
            settings.entries,
            settings.real_root,
            tuple(folder or ()),
        )

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> WatchScope:
        """The inverse of `record`."""
        names = ("deny_globs", "exclude_globs", "entries", "folder")
        lists = {name: tuple(record[name]) for name in names}
        return cls(**{**record, **lists})

    def sandbox(self) -> Sandbox:
        """A sandbox for listing folders; a `Problem` says that the root was replaced."""
        return Sandbox(
            self.root,
            Denylist(self.deny_globs, self.entries),
            max_file_bytes=0,
            data_dir=self.data_dir,
            door=open_root(self.root, self.real_root, self.folder),
        )

    def record(self) -> dict[str, Any]:
        """The scope as plain values, for another process."""
        return values_of(self)
