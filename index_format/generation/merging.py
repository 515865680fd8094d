"""Carries out a merge plan, here or in other processes; publishes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from index_format.errors import InvalidInputError
from index_format.generation.compaction import Merge, next_segments
from index_format.generation.merge_task import MergeTask, pack_numbers, write_merge
from index_format.generation.snapshot import Snapshot, list_readers, open_manifest
from index_format.records import replace
from index_format.segment.entry import SegmentEntry
from index_format.segment.reader import open_segment
from index_format.store.contract import Store

# carries out merge tasks, in any process, and yields the segment of each in the same order
Run = Callable[[Sequence[MergeTask]], Iterable[SegmentEntry]]


def merged_snapshots(
    store: Store, snapshot: Snapshot, plan: Sequence[Merge], memory: int, run: Run | None
) -> Iterator[Snapshot]:
    """After each step of a plan the snapshot that it leads to, which is not published."""
    planned_on = snapshot
    for merge, entry in zip(plan, _written(store, snapshot, plan, memory, run), strict=True):
        manifest = replace(
            snapshot.manifest,
            generation=snapshot.generation + 1,
            segments=tuple(next_segments(snapshot, planned_on, merge, entry)),
        )
        snapshot = open_manifest(store, manifest, list_readers(snapshot))
        yield snapshot


def _written(
    store: Store, snapshot: Snapshot, plan: Sequence[Merge], memory: int, run: Run | None
) -> Iterator[SegmentEntry]:
    """The segment of each step."""
    if run is not None:
        tasks = [_make_task(snapshot, merge, memory) for merge in plan]
        yield from _check_entries(store, snapshot, plan, run(tasks))
        return
    readers = [segment.reader for segment in snapshot.segments]
    for merge in plan:
        yield write_merge(
            store, snapshot.schema, readers, merge.files, memory, canonical=merge.canonical
        )


def _make_task(snapshot: Snapshot, merge: Merge, memory: int) -> MergeTask:
    """A step as plain data, for another process."""
    used = sorted({file.source for file in merge.files})
    place = {number: at for at, number in enumerate(used)}
    entries = snapshot.manifest.segments
    return MergeTask(
        tuple(entries[number] for number in used),
        pack_numbers(place[file.source] for file in merge.files),
        pack_numbers(file.number for file in merge.files),
        merge.canonical,
        memory,
    )


def _check_entries(
    store: Store, snapshot: Snapshot, plan: Sequence[Merge], entries: Iterable[SegmentEntry]
) -> Iterator[SegmentEntry]:
    """The entries, once it is certain that each is of its step."""
    given = iter(entries)
    for merge in plan:
        entry = next(given, None)
        if entry is None or entry.canonical != merge.canonical or entry.dead_files:
            msg = f"`run` gave {entry} for a step of {len(merge.files)} files"
            raise InvalidInputError(msg)
        reader = open_segment(store.open(entry.name), entry, snapshot.schema)
        # the reader stays open, and needs no list of its paths
        if reader.files.paths.list_all() != [file.path for file in merge.files]:
            msg = f"{entry.name}: not of this task: entries must keep the order of the tasks"
            raise InvalidInputError(msg)
        yield entry
