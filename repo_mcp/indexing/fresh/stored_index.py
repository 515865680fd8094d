"""Opens the index in the data folder if it fits the settings; removes an unusable or copied one.

A repository may contain a data folder with a forged index of its files. What nobody can ship or
predict are the inode numbers of the index's folder and lock file on this system, and the lock
file's change time. They are recorded when an index is created; an index whose numbers differ was
copied here, and is rebuilt.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

import xxhash

from index_format import (
    LOCK_NAME,
    CorruptIndexError,
    FileStore,
    Index,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    Snapshot,
    StoreError,
    UnsupportedVersionError,
)
from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.indexing.build import chunking
from repo_mcp.indexing.walk import file_types
from repo_mcp.languages import Languages, facts
from repo_mcp.model import Settings
from repo_mcp.safety import denylist
from repo_mcp.stored import INDEX_FOLDER, SCHEMA, IndexProgress
from repo_mcp.text import counting

_LOCK_WAIT: Final = 10.0
_ORIGIN: Final = "place"
_LAST_REFRESH: Final = "refresh.json"
# added to the signature of an index with files of any name
_ANY_NAME: Final = "any name"
_UNUSABLE: Final = (CorruptIndexError, UnsupportedVersionError)


class StoredIndex:
    """One repository's index on disk; `signature` is that of the current settings."""

    def __init__(self, settings: Settings, store: FileStore, signature: str) -> None:
        self._root = settings.root
        self._data = settings.data_dir
        self._folder = os.path.join(settings.data_dir, INDEX_FOLDER)
        self._store = store
        self._signature = signature
        # the last opened generation, whose segments the next one shares
        self.latest: Snapshot | None = None

    def index(self) -> Index:
        """The index with the current settings."""
        return Index(self._store, SCHEMA, settings=self._signature)

    def snapshot(self) -> Snapshot | None:
        """The current generation, or None if none fits the settings."""
        try:
            self.check_folder()
            found = self.index().snapshot(self.latest)
        except (IndexMissingError, *_UNUSABLE):
            return None
        except IndexFormatError as error:
            raise problem_of(error) from error
        if not self._was_created_here():
            return None
        if found.schema != SCHEMA or IndexProgress.of(found).signature != self._signature:
            return None
        self.latest = found
        return found

    def check_folder(self) -> None:
        """Refuse a data folder that is reached through a symlink in the repository."""
        folder = self._folder
        above = self._root + os.sep
        while os.path.islink(folder) is False:
            folder = os.path.dirname(folder)
            if not folder.startswith(above):
                return
        raise Problem("data_link")

    def prepare(self) -> None:
        """Create the folders, and remove an index that was copied here."""
        if not os.path.isdir(self._root):
            raise Problem("index_unavailable", "the repository's folder is gone")
        side_files.prepare(self._data)
        if not self._was_created_here():
            self.latest = None
            with self._store.lock(_LOCK_WAIT):
                if not self._was_created_here():  # another process may have done it
                    self._remove_all()
                    side_files.put(self._data, _ORIGIN, _origin(self._folder))

    def drop_unusable(self) -> None:
        """Remove an index that is damaged or has another version or schema."""
        try:
            if self.index().snapshot(self.latest).schema != SCHEMA:
                self.drop()
        except IndexMissingError:
            return
        except _UNUSABLE:
            self.drop()

    def drop(self) -> None:
        """Remove the index."""
        self.latest = None
        with self._store.lock(_LOCK_WAIT):
            self._remove_all()

    def last_refresh(self) -> str:
        """Time of the last refresh; empty if unknown."""
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            text = json.loads(side_files.get(self._data, _LAST_REFRESH)).get("timestamp")
            # the file may come from the repository, so only a valid time is passed on
            return _format_time(datetime.fromisoformat(text)) if isinstance(text, str) else ""
        return ""

    def set_last_refresh(self, timestamp: str) -> None:
        """Store the time of the last refresh, if the folder is writable."""
        with suppress(OSError):
            record = json.dumps({"timestamp": timestamp}).encode()
            side_files.put(self._data, _LAST_REFRESH, record)

    def _was_created_here(self) -> bool:
        with suppress(OSError):
            return side_files.get(self._data, _ORIGIN) == _origin(self._folder)
        return False

    def _remove_all(self) -> None:
        for name in self._store.names():
            self._store.remove(name)


def signature_of(settings: Settings, languages: Languages) -> str:
    """A hash of everything that decides which documents and terms an index holds."""
    parts = [
        counting.VERSION,
        chunking.VERSION,
        facts.VERSION,
        asdict(settings.windows),
        languages.signature(),
        denylist.signature(),
        file_types.signature(),
        settings.limits.max_file_bytes,
        sorted(settings.include_extensions),
        sorted(settings.exclude_globs),
        sorted(settings.deny_globs),
        settings.allow_hardlinks,
        *([_ANY_NAME] if settings.any_name else []),
    ]
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())


def _origin(folder: str) -> bytes:
    lock = os.lstat(os.path.join(folder, LOCK_NAME))  # created once and never written to
    return f"{os.lstat(folder).st_ino} {lock.st_ino} {lock.st_ctime_ns}\n".encode()


def current_time() -> str:
    """The current time as an ISO 8601 string in UTC."""
    return _format_time(datetime.now(UTC))


def _format_time(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


_MOST_CHARACTERS: Final = 200


@contextmanager
def raise_problems() -> Iterator[None]:
    """Turn errors of the disk and the index into a `Problem`."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise problem_of(error) from error


def problem_of(error: Exception) -> Problem:
    """The `Problem` for an error of the disk or the index; names no file of the repository."""
    if isinstance(error, IndexBusyError):
        return Problem("index_busy")
    reason = type(error).__name__
    if isinstance(error, OSError):
        reason = error.strerror or reason
    elif isinstance(error, StoreError):  # its message names index files only
        reason = str(error)
    return Problem("index_unavailable", reason[:_MOST_CHARACTERS])
