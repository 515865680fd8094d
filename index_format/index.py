"""The library's front door: open an index, read its snapshots, change it, compact it.

An index is a store and a schema. Reading takes no lock. A writer holds the one writer lock from
its first change to its end; what it adds becomes visible at `commit`, all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from index_format import commit
from index_format.compaction import (
    DEFAULT_LIMITS,
    DEFAULT_MEMORY,
    Limits,
    plan_full,
    plan_lazy,
    run,
    without,
)
from index_format.errors import IndexMissingError, InvalidInputError
from index_format.inverter import check, encode_path, invert
from index_format.manifest import Manifest, SegmentEntry
from index_format.model import Document, Schema, Vocabulary
from index_format.segment_writer import write_segment
from index_format.snapshot import Snapshot, open_manifest, open_snapshot
from index_format.store import Store

# what a buffered token, a chunk and a word of the vocabulary take until their segment is written
_BYTES_PER_TOKEN: Final = 64
_BYTES_PER_CHUNK: Final = 1024
_BYTES_PER_WORD: Final = 192
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
            yield IndexWriter(self, self._current(), memory)

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


class IndexWriter:
    """Collects changes and publishes them together."""

    def __init__(self, index: Index, base: Snapshot | None, memory: int) -> None:
        """Begin with no changes; the caller holds the lock."""
        self._index = index
        self._base = base
        self._memory = memory
        self._vocabulary = Vocabulary()
        self._buffer: dict[str, Document] = {}
        self._buffered = 0
        self._written: list[_Written] = []
        self._changed: set[bytes] = set()

    @property
    def vocabulary(self) -> Vocabulary:
        """What numbers the words of the next document.

        Ask for it before each document: when it has grown large, `add` begins a new one.
        """
        return self._vocabulary

    def add(self, document: Document) -> None:
        """Add a file, in place of the one with the same path if there is one."""
        tokens = check(document, self._index.schema, self._vocabulary)
        self._buffer[document.path] = document
        self._changed.add(encode_path(document.path))
        self._buffered += tokens * _BYTES_PER_TOKEN + len(document.chunks) * _BYTES_PER_CHUNK
        self._buffered += sum(map(len, document.attachments.values()))
        words = len(self._vocabulary) * _BYTES_PER_WORD
        if self._buffered + words >= self._memory:
            self.flush()
            if 2 * words >= self._memory:
                self._vocabulary = Vocabulary()

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens when there is none of this path."""
        self._buffer.pop(path, None)
        self._changed.add(encode_path(path))
        for written in self._written:
            written.dead.update(written.numbers_of({encode_path(path)}))

    def flush(self) -> None:
        """Write what is buffered to a segment that nobody sees yet."""
        if not self._buffer:
            return
        documents = list(self._buffer.values())
        content = invert(documents, self._index.schema, self._vocabulary)
        frame = write_segment(self._index.store, self._index.schema, content)
        paths = list(content.files.paths)
        for written in self._written:
            written.dead.update(written.numbers_of(set(paths)))
        totals = content.files.totals.astype(np.int64)
        entry = SegmentEntry(
            frame.name,
            frame.length,
            frame.seal,
            len(paths),
            len(content.chunks.ids),
            (),
            len(content.chunks.ids),
            tuple(totals.sum(axis=1).tolist()),
            canonical=False,
        )
        self._written.append(_Written(entry, paths, content.files.chunk_counts, totals))
        self._buffer, self._buffered = {}, 0

    def commit(self) -> Snapshot:
        """Publish all changes so far as one generation, and open it."""
        self.flush()
        base = self._base
        fresh = {item.entry.name: item for item in self._written}
        entries: list[SegmentEntry] = []
        for number, entry in enumerate(base.manifest.segments if base else ()):
            gone = self._gone(base, number) if base else set()
            left = without(base, number, entry, gone) if base else None
            if left is not None and left.name not in fresh:
                entries.append(left)
        entries += [item.live_entry() for item in fresh.values() if item.is_alive()]
        unchanged = base is not None and entries == list(base.manifest.segments)
        if base is None or not unchanged or base.manifest.settings != self._index.settings:
            manifest = self._index.publish(base.manifest if base else None, entries)
            base = open_snapshot(self._index.store, base)
            if base.manifest != manifest:
                msg = "the index was published by another writer in spite of the lock"
                raise InvalidInputError(msg)
        self._base, self._written, self._changed = base, [], set()
        return base

    def _gone(self, base: Snapshot, number: int) -> set[int]:
        segment = base.segments[number]
        found = {segment.reader.files.find(path) for path in self._changed}
        return {file for file in found if file is not None} - segment.dead_files


class _Written:
    """A segment of this writer that is not published yet."""

    def __init__(
        self, entry: SegmentEntry, paths: list[bytes], counts: np.ndarray, totals: np.ndarray
    ) -> None:
        self.entry = entry
        self.dead: set[int] = set()
        self._paths = {path: number for number, path in enumerate(paths)}
        self._counts = counts
        self._totals = totals

    def numbers_of(self, paths: set[bytes]) -> set[int]:
        return {self._paths[path] for path in paths & self._paths.keys()}

    def is_alive(self) -> bool:
        return len(self.dead) < self.entry.files

    def live_entry(self) -> SegmentEntry:
        dead = sorted(self.dead)
        entry = self.entry
        totals = self._totals.sum(axis=1) - self._totals[:, dead].sum(axis=1)
        return SegmentEntry(
            entry.name,
            entry.length,
            entry.seal,
            entry.files,
            entry.chunks,
            tuple(dead),
            entry.chunks - int(self._counts[dead].sum()),
            tuple(totals.tolist()),
            canonical=False,
        )
