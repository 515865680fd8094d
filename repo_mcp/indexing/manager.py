"""Keeps the index of one repository: opens it, refreshes it, rebuilds it when it is of no use."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import xxhash

from index_format import (
    CorruptIndexError,
    FileStore,
    Index,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    Snapshot,
    UnsupportedVersionError,
)
from repo_mcp import analysis, denylist
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing import chunking, file_types, record
from repo_mcp.indexing.discovery import Discovery, Selection
from repo_mcp.indexing.documents import SCHEMA
from repo_mcp.indexing.refresh import PARTIAL, Counts, Refresh, current
from repo_mcp.model import IndexState, Refreshed, Settings
from repo_mcp.sandbox import Sandbox

_FOLDER: Final = "index"
_LOCK_WAIT: Final = 10.0
_TURN_POLL: Final = 0.05
_USELESS: Final = (CorruptIndexError, UnsupportedVersionError)


class IndexManager:
    """The index and how to bring it up to date; safe to use from several threads."""

    def __init__(self, settings: Settings, sandbox: Sandbox) -> None:
        """Say where; nothing is read or written yet."""
        self._settings = settings
        self._sandbox = sandbox
        self._selection = Selection(
            settings.limits.max_file_bytes, settings.include_extensions, settings.exclude_globs
        )
        self._wanted = _signature(settings)
        self._store = FileStore(os.path.join(settings.data_dir, _FOLDER))
        self._open: Snapshot | None = None
        self._refreshing = threading.Lock()

    def snapshot(self) -> Snapshot | None:
        """The current generation; None when there is none that fits these settings."""
        try:
            found = self._index().snapshot(self._open)
        except (IndexMissingError, *_USELESS):
            return None
        except IndexFormatError as error:
            raise _problem(error) from error
        if found.schema != SCHEMA or found.manifest.settings.split(" ")[0] != self._wanted:
            return None
        self._open = found
        return found

    def state(self) -> IndexState:
        """The index as it stands now."""
        found = self.snapshot()
        if found is None:
            return IndexState("missing", 0, 0, "")
        partial = found.manifest.settings.endswith(PARTIAL)
        last = record.read(self._settings.data_dir)
        return IndexState(
            "partial" if partial else "ready", found.generation, found.file_count, last
        )

    def ensure(self, budget: Budget) -> Refreshed | None:
        """Build the index if there is none, for as long as the budget lasts."""
        if self.snapshot() is not None:
            return None
        with self._turn(budget):
            return None if self.snapshot() is not None else self._refresh(budget, force=False)

    def refresh(self, budget: Budget, *, force: bool) -> Refreshed:
        """Bring the index up to date; `force` makes every document anew."""
        with self._turn(budget):
            return self._refresh(budget, force=force)

    def rebuild(self, budget: Budget) -> Refreshed:
        """Begin again, because reading the index showed damage."""
        with self._turn(budget):
            with _explained():
                self._drop()
            return self._refresh(budget, force=False)

    @contextmanager
    def _turn(self, budget: Budget) -> Iterator[None]:
        """One refresh at a time; who was cancelled stops waiting."""
        while not self._refreshing.acquire(timeout=_TURN_POLL):
            budget.check()
        try:
            yield
        finally:
            self._refreshing.release()

    def _refresh(self, budget: Budget, *, force: bool) -> Refreshed:
        started = time.monotonic()
        with _explained():
            record.prepare(self._settings.data_dir)
            self._drop_useless()
            try:
                counts, left_out = self._run(budget, force=force)
            except CorruptIndexError:  # damage that shows only when all of it is read
                self._drop()
                counts, left_out = self._run(budget, force=force)
            timestamp = record.now()
            record.write(self._settings.data_dir, timestamp)
            files = self._index().snapshot().file_count
        return Refreshed(
            counts.added,
            counts.updated,
            counts.removed,
            files,
            time.monotonic() - started,
            timestamp,
            counts.complete,
            left_out,
        )

    def _run(self, budget: Budget, *, force: bool) -> tuple[Counts, dict[str, int]]:
        """One walk, and how much of what it left out."""
        discovery = Discovery(self._sandbox, self._selection)
        run = Refresh(self._index(), self._sandbox, discovery, self._wanted, budget)
        counts = run.run(force=force)
        return counts, {name: count for name, count in sorted(discovery.left_out.items()) if count}

    def _index(self) -> Index:
        return Index(self._store, SCHEMA, settings=self._wanted)

    def _drop_useless(self) -> None:
        """Remove an index that is damaged, of another version or of other fields."""
        try:
            found = current(self._index())
            useless = found is not None and found.schema != SCHEMA
        except _USELESS:
            useless = True
        if useless:
            self._drop()

    def _drop(self) -> None:
        self._open = None
        with self._store.lock(_LOCK_WAIT):
            for name in self._store.names():
                self._store.remove(name)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what the disk or the index says into an answer."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise _problem(error) from error


def _problem(error: Exception) -> Problem:
    return Problem("index_busy" if isinstance(error, IndexBusyError) else "index_unavailable")


def _signature(settings: Settings) -> str:
    """What decides which documents an index holds and which terms they have."""
    parts = [
        analysis.VERSION,
        chunking.VERSION,
        chunking.LINES,
        chunking.OVERLAP,
        denylist.signature(),
        sorted(file_types.EXTENSIONS | file_types.NAMES),
        settings.limits.max_file_bytes,
        sorted(settings.include_extensions),
        sorted(settings.exclude_globs),
        sorted(settings.deny_globs),
        settings.allow_hardlinks,
    ]
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())
