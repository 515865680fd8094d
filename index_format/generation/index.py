"""`Index`: opens snapshots, hands out the writer, compacts, collects garbage.

An index is a store and a schema. Reading takes no lock. A writer holds the one writer lock from
its first change to its end; what it adds becomes visible at `commit`, all at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from index_format.errors import (
    CorruptIndexError,
    IndexMissingError,
    InvalidInputError,
    UnsupportedVersionError,
)
from index_format.generation import commit
from index_format.generation.manifest import Manifest
from index_format.generation.snapshot import Snapshot, list_readers, open_manifest, open_snapshot
from index_format.model import DEFAULT_LIMITS, DEFAULT_MEMORY, Limits, Schema
from index_format.segment.entry import SegmentEntry
from index_format.store.contract import Store
from index_format.store.shared_store import SharedStore, unmerged_of
from index_format.tuples import NamedTuple

if TYPE_CHECKING:  # imported by those who write
    from index_format.generation.compaction import Merge
    from index_format.generation.merging import Run
    from index_format.generation.writer import IndexWriter

_LOCK_WAIT: Final = 10.0


class DiskUse(NamedTuple):
    """Bytes on the disk; `superseded`: of files that the current generation does not need.

    About `dead` bytes of the others are of documents that were replaced or removed. `shared` bytes
    are of segments that lie elsewhere, and are in none of the other numbers.
    """

    total: int
    superseded: int
    dead: int
    shared: int = 0


class Index:
    """An index in a store."""

    def __init__(
        self, store: Store, schema: Schema, *, settings: str = "", limits: Limits = DEFAULT_LIMITS
    ) -> None:
        """Keep the arguments; reads nothing.

        `settings` is kept with each generation: all that decides how the caller makes documents,
        so that it can tell when all must be rebuilt.
        """
        self.store = store
        self.schema = schema
        self.settings = settings
        self._limits = limits

    def snapshot(self, previous: Snapshot | None = None) -> Snapshot:
        """The current generation; `IndexMissingError` when nothing was ever committed.

        Segments that `previous` has open are not opened, and so not verified, again.
        """
        return open_snapshot(self.store, previous)

    @contextmanager
    def writer(
        self,
        *,
        memory: int = DEFAULT_MEMORY,
        wait_seconds: float = _LOCK_WAIT,
        previous: Snapshot | None = None,
    ) -> Iterator[IndexWriter]:
        """Change the index under its lock; what is not committed at the end is dropped.

        Segments that `previous` has open are not opened again.
        """
        from index_format.generation.writer import IndexOptions, IndexWriter  # noqa: PLC0415 readers do without

        with self.store.lock(wait_seconds):
            base = self._current(previous)
            options = IndexOptions(
                self.store, self.schema, self._limits, lambda: self.settings, self.publish
            )
            writer = IndexWriter(options, base, memory)
            with closing(writer):
                yield writer

    def compact(
        self,
        *,
        full: bool = False,
        memory: int = DEFAULT_MEMORY,
        wait_seconds: float = _LOCK_WAIT,
        steps: int | None = None,
        run: Run | None = None,
        stop: Callable[[], bool] = lambda: False,
        previous: Snapshot | None = None,
    ) -> int:
        """Merge segments, each step a generation of its own; returns the number of steps.

        Steps that do not depend on each other are given to `run` together, as tasks that other
        processes can take with `merge_segments`; it gives the entry of each in the same order, and
        each is published as soon as it is there. `memory` is per step. An error of `run` reaches
        the caller; steps published by then are kept, and the others can be taken another time. So
        they are when `stop` says before a step that others are waiting; but once there are many
        deltas, those are merged first.
        """
        taken = 0
        with self.store.lock(wait_seconds):
            snapshot = self._current(previous)
            while snapshot is not None and (steps is None or taken < steps):
                plan = self._plan(snapshot, full=full, waiting=stop())
                plan = plan[: None if steps is None else steps - taken]
                if not plan:
                    break
                for merged in self._take(snapshot, plan, memory, run):
                    snapshot = merged
                    taken += 1
                    if stop():
                        break
        return taken

    def _plan(self, snapshot: Snapshot, *, full: bool, waiting: bool) -> Sequence[Merge]:
        """The next steps, few and small ones or none if others are waiting."""
        from index_format.generation.compaction import (  # noqa: PLC0415 readers do without
            has_many_deltas,
            plan_deltas,
            plan_full,
            plan_lazy,
        )

        unmerged = unmerged_of(self.store)
        if waiting:
            return plan_deltas(snapshot, unmerged) if has_many_deltas(snapshot, unmerged) else []
        if full:
            return plan_full(snapshot, self._limits)
        return plan_lazy(snapshot, self._limits, unmerged)

    def _take(
        self, snapshot: Snapshot, plan: Sequence[Merge], memory: int, run: Run | None
    ) -> Iterator[Snapshot]:
        """Publish the segment of each step; gives each generation."""
        from index_format.generation.merging import merged_snapshots  # noqa: PLC0415 readers do without

        for merged in merged_snapshots(self.store, snapshot, plan, memory, run):
            # merging changes no document, so the settings that made them are kept
            entries = list(merged.manifest.segments)
            manifest = self.publish(snapshot.manifest, entries, snapshot.manifest.settings)
            snapshot = open_manifest(self.store, manifest, list_readers(merged))
            yield snapshot

    def collect_garbage(
        self,
        *,
        grace_seconds: float = 60.0,
        spare: float = math.inf,
        wait_seconds: float = _LOCK_WAIT,
        previous: Snapshot | None = None,
    ) -> list[str]:
        """Remove files that no generation in use needs; returns their names.

        Files younger than `grace_seconds` stay, up to `spare` times the bytes of the current
        generation. Where all files are of the current one, no lock is taken.
        """
        known = previous.manifest if previous else None
        current = commit.load_current(self.store, known)
        if commit.names_of(current).issuperset(self.store.names()):
            return []
        with self.store.lock(wait_seconds):
            current = commit.load_current(self.store, current)
            return commit.collect_garbage(
                self.store, current, grace_seconds=grace_seconds, spare=spare
            )

    def disk_use(self) -> DiskUse:
        """The room that the index takes; where it can't be read, all of it counts as needed."""
        store = self.store
        borrowed = store.all_borrowed() if isinstance(store, SharedStore) else frozenset[str]()
        shared = sum(commit.size_of(store, name) for name in borrowed)
        names = (name for name in store.names() if name not in borrowed)
        sizes = {name: commit.size_of(store, name) for name in names}
        total = sum(sizes.values())
        try:
            current = commit.load_current(store)
        except (IndexMissingError, CorruptIndexError, UnsupportedVersionError):
            return DiskUse(total, 0, 0, shared)
        kept = commit.names_of(current)
        dead = sum(
            sizes.get(entry.name, 0) * (entry.chunks - entry.live_chunks) // max(entry.chunks, 1)
            for entry in current.segments
        )
        return DiskUse(total, sum(sizes[name] for name in sizes.keys() - kept), dead, shared)

    def publish(
        self, base: Manifest | None, segments: list[SegmentEntry], settings: str | None = None
    ) -> Manifest:
        """Make a list of segments the next generation; the caller holds the lock."""
        generation = commit.next_generation(self.store)
        said = self.settings if settings is None else settings
        manifest = Manifest(generation, self.schema, said, tuple(segments))
        commit.publish(self.store, base, manifest)
        return manifest

    def _current(self, previous: Snapshot | None = None) -> Snapshot | None:
        try:
            manifest = commit.load_current(self.store, previous.manifest if previous else None)
        except IndexMissingError:
            return None
        if manifest.schema != self.schema:
            msg = f"the index has the fields {manifest.schema.fields}, not {self.schema.fields}"
            raise InvalidInputError(msg)
        if previous is not None and previous.manifest is manifest:
            return previous
        return open_manifest(self.store, manifest, list_readers(previous))
