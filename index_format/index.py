"""The library's front door: open an index, read its snapshots, change it, compact it.

An index is a store and a schema. Reading takes no lock. A writer holds the one writer lock from
its first change to its end; what it adds becomes visible at `commit`, all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from index_format import commit
from index_format.compaction import (
    DEFAULT_LIMITS,
    DEFAULT_MEMORY,
    Limits,
    plan_full,
    plan_lazy,
    run,
)
from index_format.errors import IndexMissingError, InvalidInputError
from index_format.index_writer import IndexWriter
from index_format.manifest import Manifest, SegmentEntry
from index_format.model import Schema
from index_format.snapshot import Snapshot, open_manifest, open_snapshot
from index_format.store import Store

_LOCK_WAIT: Final = 10.0


class Index:
    """An index in a store."""

    def __init__(
        self, store: Store, schema: Schema, *, settings: str = "", limits: Limits = DEFAULT_LIMITS
    ) -> None:
        """Remember where and what; nothing is read yet.

        `settings` is kept with each generation: whatever decides how the caller makes documents,
        so that it can see when all must be made anew.
        """
        self.store = store
        self.schema = schema
        self.settings = settings
        self._limits = limits

    def snapshot(self, previous: Snapshot | None = None) -> Snapshot:
        """The current generation; `IndexMissingError` when nothing was ever committed."""
        return open_snapshot(self.store, previous)

    @contextmanager
    def writer(
        self, *, memory: int = DEFAULT_MEMORY, wait_seconds: float = _LOCK_WAIT
    ) -> Iterator[IndexWriter]:
        """Change the index under its lock; what is not committed at the end is dropped."""
        with self.store.lock(wait_seconds):
            base = self._current()
            writer = IndexWriter(self.store, self.schema, base, self.publish, memory)
            if base is not None and base.manifest.settings != self.settings:
                writer.renew()
            with closing(writer):
                yield writer

    def compact(
        self,
        *,
        full: bool = False,
        memory: int = DEFAULT_MEMORY,
        wait_seconds: float = _LOCK_WAIT,
        steps: int | None = None,
    ) -> int:
        """Merge segments, each step a generation of its own; gives how many steps were taken."""
        taken = 0
        with self.store.lock(wait_seconds):
            while steps is None or taken < steps:
                snapshot = self._current()
                plan = plan_full if full else plan_lazy
                merge = None if snapshot is None else plan(snapshot, self._limits)
                if merge is None or snapshot is None:
                    break
                entries = run(self.store, snapshot, merge, memory)
                self.publish(snapshot.manifest, entries)
                taken += 1
        return taken

    def collect_garbage(self, *, grace_seconds: float = 60.0) -> list[str]:
        """Remove files that no generation in use needs; gives their names."""
        with self.store.lock(_LOCK_WAIT):
            current = commit.load_current(self.store)
            return commit.collect_garbage(self.store, current, grace_seconds=grace_seconds)

    def publish(self, base: Manifest | None, segments: list[SegmentEntry]) -> Manifest:
        """Make a list of segments the next generation; the caller holds the lock."""
        generation = commit.next_generation(self.store)
        manifest = Manifest(generation, self.schema, self.settings, tuple(segments))
        commit.publish(self.store, base, manifest)
        return manifest

    def _current(self) -> Snapshot | None:
        try:
            manifest = commit.load_current(self.store)
        except IndexMissingError:
            return None
        if manifest.schema != self.schema:
            msg = f"the index has the fields {manifest.schema.fields}, not {self.schema.fields}"
            raise InvalidInputError(msg)
        return open_manifest(self.store, manifest)
