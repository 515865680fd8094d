"""Collects changes to an index and publishes them together.

Documents beyond the memory limit are written to segments that no manifest lists yet. Other
processes may write such segments too, with `build_segment`, and hand their entries to the writer:
they need no lock, since no reader opens a segment that no manifest names.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from index_format.errors import IndexFormatError, InvalidInputError, StoreError
from index_format.generation import commit
from index_format.generation.compaction import (
    list_small,
    mark_canonical,
    mark_dead,
    plan_full,
    plan_share,
)
from index_format.generation.cuts import find_shares
from index_format.generation.manifest import Manifest
from index_format.generation.merge_task import write_merge
from index_format.generation.merging import Run, merged_snapshots
from index_format.generation.snapshot import Snapshot, list_readers, open_manifest, open_snapshot
from index_format.layout import manifest_name
from index_format.model import Document, Limits, Schema, Vocabulary
from index_format.records import replace
from index_format.segment.entry import SegmentEntry
from index_format.segment.inverter import check_document, encode_path, invert
from index_format.segment.reader import SegmentReader, replace_dead
from index_format.segment.writer import describe_segment, write_segment
from index_format.store.contract import Store
from index_format.store.shared_store import unmerged_of
from index_format.tuples import NamedTuple

# memory of a buffered token, a chunk and a word of the vocabulary until their segment is written
_BYTES_PER_TOKEN: Final = 88
_BYTES_PER_CHUNK: Final = 1408
_BYTES_PER_WORD: Final = 288

# makes a list of segments the next generation, in place of the one that was read
Publish = Callable[[Manifest | None, list[SegmentEntry]], Manifest]


class IndexOptions(NamedTuple):
    """The options of a writer from its index; `settings` gives those of the next generation."""

    store: Store
    schema: Schema
    limits: Limits
    settings: Callable[[], str]
    publish: Publish


def build_segment(
    store: Store, schema: Schema, documents: Sequence[Document], vocabulary: Vocabulary
) -> SegmentEntry:
    """Write documents with different paths to a segment, for `IndexWriter.adopt`."""
    if not documents or len({document.path for document in documents}) < len(documents):
        msg = "a segment is built of one document or more, each with a path of its own"
        raise InvalidInputError(msg)
    content = invert(documents, schema, vocabulary)
    frame = write_segment(store, schema, content)
    return describe_segment(frame, content, canonical=False)


class IndexWriter:
    """Changes an index; made by `Index.writer`, which holds the lock for it."""

    def __init__(self, options: IndexOptions, base: Snapshot | None, memory: int) -> None:
        """Begin with no changes to `base`."""
        self._options = options
        self._store = options.store
        self._schema = options.schema
        self._base = base
        # segments that keep their place: they are not of this writer, or merged
        self._kept = _names(base)
        # files that were there before: `build_segment` may have found one of these for what it
        # was to write, and `adopt` comes later
        self._found = frozenset(self._kept)
        self._memory = memory
        self._open = True
        self._unsynced = False
        self._vocabulary = Vocabulary()
        self._buffer: dict[str, Document] = {}
        self._buffered = 0
        self._written: list[_UnpublishedSegment] = []
        self._holders: dict[bytes, _UnpublishedSegment] = {}  # by live path
        self._changed: set[bytes] = set()
        # files of generations that this writer has replaced
        self._replaced: set[str] = set()

    @property
    def base(self) -> Snapshot | None:
        """The generation that is changed: the last one this writer committed, or found."""
        return self._base

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary for the next document.

        Read it before each document: when it has grown large, `add` starts a new one.
        """
        return self._vocabulary

    def add(self, document: Document) -> None:
        """Add a file, in place of the one with the same path if there is one."""
        self._check_open()
        tokens = check_document(document, self._schema, self._vocabulary)
        self._buffer[document.path] = document
        self._changed.add(encode_path(document.path))
        self._buffered += tokens * _BYTES_PER_TOKEN + len(document.chunks) * _BYTES_PER_CHUNK
        self._buffered += sum(map(len, document.attachments.values()))
        words = len(self._vocabulary) * _BYTES_PER_WORD
        if self._buffered + words >= self._memory:
            self.flush()
            if 2 * words >= self._memory:
                self._vocabulary = Vocabulary()

    def adopt(self, entry: SegmentEntry) -> None:
        """Add all files of a segment that `build_segment` wrote to this store."""
        self._check_open()
        self.flush()
        if entry.dead_files or entry.canonical:
            msg = f"{entry.name}: only segments as made by `build_segment` can be adopted"
            raise InvalidInputError(msg)
        handle = self._store.open(entry.name)
        written = _UnpublishedSegment(entry, SegmentReader(handle, self._schema, entry.seal))
        self._drop(written.paths)
        self._holders.update(dict.fromkeys(written.paths, written))
        self._written.append(written)
        self._changed.update(written.paths)

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens when there is none of this path."""
        self._check_open()
        self._buffer.pop(path, None)
        self._changed.add(encode_path(path))
        self._drop([encode_path(path)])

    def flush(self) -> None:
        """Write buffered documents to a segment that no manifest lists yet."""
        self._check_open()
        if not self._buffer:
            return
        documents = list(self._buffer.values())
        entry = build_segment(self._store, self._schema, documents, self._vocabulary)
        self._buffer, self._buffered = {}, 0
        self.adopt(entry)

    @property
    def has_changes(self) -> bool:
        """True if files were added, adopted or removed since the last commit."""
        return bool(self._buffer or self._changed)

    def commit(self, *, compact: bool = False, run: Run | None = None) -> Snapshot:
        """Publish all changes so far as one generation, and open it.

        A generation with the segments and settings of the current one is not published. With
        `compact`, changes are merged into the canonical layout first; `run` is that of
        `Index.compact`. After a `StoreError` it may be called again: nothing that was added is
        forgotten.
        """
        self.flush()
        entries = self._next_segments()
        if compact and self._is_new(entries):
            entries = self._compacted(entries, run)
        base = self._base
        if base is None or self._is_new(entries) or self._is_due(base.manifest):
            try:
                manifest = self._options.publish(base.manifest if base else None, entries)
            except StoreError:
                self._resume_published(entries)
                raise
            base = self._follow(manifest)
        self._base, self._written, self._holders, self._changed = base, [], {}, set()
        self._unsynced = False
        if compact:
            self._kept = _names(base)
        return base

    def shares(self, paths: Sequence[bytes], sizes: Sequence[int]) -> list[bytes]:
        """The first path of each share but the first one: see `find_shares`.

        Empty if the index is too small to be divided, or its segments are not merged. The paths are
        in order.
        """
        if unmerged_of(self._store):
            return []
        return [paths[at] for at in find_shares(paths, sizes, self._options.limits)]

    def settle(
        self, begin: bytes, stop: bytes | None, run: Run | None = None
    ) -> Iterator[Snapshot]:
        """Merge the committed files from one path up to another into canonical segments.

        Each is published as a generation of its own. If `shares` begin at both paths and none of
        these files changes any more, the segments are those of a full compaction.
        """
        self._check_open()
        base = self._base
        if base is None or self.has_changes:
            msg = "only what is committed can be settled"
            raise InvalidInputError(msg)
        plan = plan_share(base, begin, stop, self._options.limits)
        for merged in merged_snapshots(self._store, base, plan, self._memory, run):
            manifest = self._options.publish(base.manifest, list(merged.manifest.segments))
            base = self._base = self._follow(manifest, merged)
            self._kept.update(entry.name for entry in manifest.segments if entry.canonical)
            yield base

    def gather(self, *, most_chunks: int, least: int) -> None:
        """Merge segments of up to so many chunks into one, if at least that many are committed.

        Every search reads each of them, and who commits often need not come to a compaction soon.
        """
        self.flush()
        base, store = self._base, self._store
        if base is None:
            return
        found = list_small(base, most_chunks, least, unmerged_of(store))
        files = [file for file in found if file.path not in self._changed]
        if files:
            readers = [segment.reader for segment in base.segments]
            self.adopt(
                write_merge(store, self._schema, readers, files, self._memory, canonical=False)
            )

    def free_replaced(self) -> None:
        """Remove the files that this writer has published, and replaced by newer ones.

        Who has one of them open keeps it; who is about to open one reads the newer manifest. Files
        that were there before the writer are left for `collect_garbage`.
        """
        self._check_open()
        base = self._base
        if base is not None:
            self._replaced.discard(manifest_name(base.generation))
            self._replaced -= _names(base) | self._found
        # manifests sort before segments: one that stays because the work broke off is complete
        for name in sorted(self._replaced):
            with suppress(StoreError):
                self._store.remove(name)
        self._replaced.clear()

    def close(self) -> None:
        """Drop uncommitted changes; the lock is about to be released."""
        self._open = False
        self._buffer, self._written, self._holders = {}, [], {}

    def _follow(self, manifest: Manifest, opened: Snapshot | None = None) -> Snapshot:
        """The generation that was just published, once what it replaces is noted."""
        base = self._base
        if base is not None:
            self._replaced |= _names(base) | {manifest_name(base.generation)}
        return open_manifest(self._store, manifest, list_readers(opened or base))

    def _is_new(self, entries: list[SegmentEntry]) -> bool:
        return self._base is None or entries != list(self._base.manifest.segments)

    def _is_due(self, current: Manifest) -> bool:
        """True if the current segments are to be published once more."""
        return self._unsynced or current.settings != self._options.settings()

    def _compacted(self, entries: list[SegmentEntry], run: Run | None) -> list[SegmentEntry]:
        """The canonical segments with the content of these, written and not published."""
        number = 1 if self._base is None else self._base.generation + 1
        manifest = Manifest(number, self._schema, "", tuple(entries))
        snapshot = open_manifest(self._store, manifest, list_readers(self._base))
        plan = plan_full(snapshot, self._options.limits)
        for merged in merged_snapshots(self._store, snapshot, plan, self._memory, run):
            snapshot = merged
        return list(snapshot.manifest.segments)

    def _resume_published(self, entries: list[SegmentEntry]) -> None:
        """Continue from a generation that was published but not synced when publishing failed.

        The next commit publishes it once more.
        """
        with suppress(IndexFormatError):
            current = commit.load_current(self._store)
            before = 0 if self._base is None else self._base.generation
            if current.generation > before and list(current.segments) == entries:
                self._base = open_snapshot(self._store, self._base)
                self._unsynced = True

    def _next_segments(self) -> list[SegmentEntry]:
        """The segments found at the start in their order, then those of this writer in theirs.

        The order does not tell when a segment was adopted, nor what was committed in between.
        """
        base = self._base
        fresh = {item.entry.name: item for item in self._written if item.is_alive()}
        listed: list[_ListEntry] = []
        if base is not None:
            changed = sorted(self._changed)
            for number, entry in enumerate(base.manifest.segments):
                again = fresh.pop(entry.name, None)
                left = (
                    mark_dead(base, number, entry, self._changed_files(base, number, changed))
                    if again is None
                    else replace(again.live_entry(), canonical=entry.canonical)
                )
                if left is not None:
                    listed.append(_ListEntry(left, base.segments[number].reader))
        listed += [_ListEntry(item.live_entry(), item.reader) for item in fresh.values()]
        if len(listed) == 1:
            return [mark_canonical(*listed[0], self._options.limits)]
        kept = [item.entry for item in listed if item.entry.name in self._kept]
        own = [item for item in listed if item.entry.name not in self._kept]
        # one that was the only one for a while is not any more
        ordered = [
            replace(item.entry, canonical=False) for item in sorted(own, key=_ListEntry.order)
        ]
        return kept + ordered

    @staticmethod
    def _changed_files(base: Snapshot, number: int, changed: Sequence[bytes]) -> set[int]:
        """Numbers of the live files of a segment that are changed: `changed` is in order."""
        segment = base.segments[number]
        return segment.reader.files.paths.find_all(changed) - segment.dead_files

    def _drop(self, paths: Sequence[bytes]) -> None:
        """Mark these files dead in segments written earlier."""
        for path in paths:
            holder = self._holders.pop(path, None)
            if holder is not None:
                holder.drop(path)

    def _check_open(self) -> None:
        if not self._open:
            msg = "this writer is closed and has released its lock: open another"
            raise InvalidInputError(msg)


def _names(snapshot: Snapshot | None) -> set[str]:
    return {entry.name for entry in snapshot.manifest.segments} if snapshot else set()


class _ListEntry(NamedTuple):
    """A segment of the next generation."""

    entry: SegmentEntry
    reader: SegmentReader

    def order(self) -> tuple[bool, bytes, str]:
        """A sort key: segments with replaced files come before those that replace them."""
        return not self.entry.dead_files, self.reader.files.paths.path(0), self.entry.name


class _UnpublishedSegment:
    """A segment of this writer that is not published yet."""

    def __init__(self, entry: SegmentEntry, reader: SegmentReader) -> None:
        self.entry = entry
        # not kept by the reader, which outlives this object and needs none
        self.paths = reader.files.paths.list_all()
        self.reader = reader
        self._dead: set[int] = set()

    def drop(self, path: bytes) -> None:
        self._dead.add(bisect_left(self.paths, path))

    def is_alive(self) -> bool:
        return len(self._dead) < self.entry.files

    def live_entry(self) -> SegmentEntry:
        return replace_dead(self.entry, self.reader, self._dead)
