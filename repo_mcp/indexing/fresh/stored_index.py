"""The index in the data folder: opened where it fits the settings, removed where it is of no use.

A repository may come with a data folder whose index claims to be of its files and is not. What
nobody can ship or foresee are the numbers that this system gave to the index's folder and to its
lock file, and the moment in which it made that file. They are written down when an index is begun;
an index with others was copied here, and is begun again.
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
# marks the signature of an index of all that is text
_ANY_NAME: Final = "any name"
_USELESS: Final = (CorruptIndexError, UnsupportedVersionError)


class StoredIndex:
    """One repository's index as it lies on the disk; `signature` is of the settings in force."""

    def __init__(self, settings: Settings, store: FileStore, signature: str) -> None:
        self._root = settings.root
        self._data = settings.data_dir
        self._folder = os.path.join(settings.data_dir, INDEX_FOLDER)
        self._store = store
        self._signature = signature
        # the generation that was opened last: what the next one shares with it is not read again
        self.latest: Snapshot | None = None

    def index(self) -> Index:
        """The index under the settings in force."""
        return Index(self._store, SCHEMA, settings=self._signature)

    def snapshot(self) -> Snapshot | None:
        """The current generation; None when there is none that fits the settings."""
        try:
            self.check_folder()
            found = self.index().snapshot(self.latest)
        except (IndexMissingError, *_USELESS):
            return None
        except IndexFormatError as error:
            raise problem_of(error) from error
        if not self._began_here():
            return None
        if found.schema != SCHEMA or IndexProgress.of(found).signature != self._signature:
            return None
        self.latest = found
        return found

    def check_folder(self) -> None:
        """Refuse a folder that a link of the repository leads to."""
        folder = self._folder
        above = self._root + os.sep
        while os.path.islink(folder) is False:
            folder = os.path.dirname(folder)
            if not folder.startswith(above):
                return
        raise Problem("data_link")

    def prepare(self) -> None:
        """Make the folders, and remove an index that was copied here."""
        if not os.path.isdir(self._root):
            raise Problem("index_unavailable", "the repository's folder is gone")
        side_files.prepare(self._data)
        if not self._began_here():
            self.latest = None
            with self._store.lock(_LOCK_WAIT):
                if not self._began_here():  # nobody else was quicker
                    self._remove_all()
                    side_files.put(self._data, _ORIGIN, _origin(self._folder))

    def drop_useless(self) -> None:
        """Remove an index that is damaged, of another version or of other fields."""
        try:
            if self.index().snapshot(self.latest).schema != SCHEMA:
                self.drop()
        except IndexMissingError:
            return
        except _USELESS:
            self.drop()

    def drop(self) -> None:
        """Remove the index, whatever it holds."""
        self.latest = None
        with self._store.lock(_LOCK_WAIT):
            self._remove_all()

    def last_refresh(self) -> str:
        """When the index was last brought up to date; empty when that is not known."""
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            text = json.loads(side_files.get(self._data, _LAST_REFRESH)).get("timestamp")
            # only a time is passed on: the file may have come with the repository
            return _shown(datetime.fromisoformat(text)) if isinstance(text, str) else ""
        return ""

    def set_last_refresh(self, timestamp: str) -> None:
        """Remember when the index was brought up to date, if that can be written."""
        with suppress(OSError):
            record = json.dumps({"timestamp": timestamp}).encode()
            side_files.put(self._data, _LAST_REFRESH, record)

    def _began_here(self) -> bool:
        with suppress(OSError):
            return side_files.get(self._data, _ORIGIN) == _origin(self._folder)
        return False

    def _remove_all(self) -> None:
        for name in self._store.names():
            self._store.remove(name)


def signature_of(settings: Settings, languages: Languages) -> str:
    """Changes whenever an index would hold other documents, or these other terms."""
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
    lock = os.lstat(os.path.join(folder, LOCK_NAME))  # it is made once and never written to
    return f"{os.lstat(folder).st_ino} {lock.st_ino} {lock.st_ctime_ns}\n".encode()


def now() -> str:
    """The time of day, as it is shown."""
    return _shown(datetime.now(UTC))


def _shown(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


_MOST_CHARACTERS: Final = 200


@contextmanager
def problems() -> Iterator[None]:
    """Raise errors of the disk and the index as a `Problem`."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise problem_of(error) from error


def problem_of(error: Exception) -> Problem:
    """What to answer to an error of the disk or the index; it names no file of the repository."""
    if isinstance(error, IndexBusyError):
        return Problem("index_busy")
    reason = type(error).__name__
    if isinstance(error, OSError):
        reason = error.strerror or reason
    elif isinstance(error, StoreError):  # it names files of the index only
        reason = str(error)
    return Problem("index_unavailable", reason[:_MOST_CHARACTERS])
