"""Plans which segments to merge, by counts and paths alone: equal content gives equal plans.

The target is the *canonical layout*: all live files in path order, cut where a file's path hash
says so. It is a function of the set of files, so any history of edits ends in the same bytes.
Until then small segments are merged by size, so that there are never many.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from index_format.generation.cuts import cut_share, find_cuts
from index_format.generation.snapshot import Snapshot
from index_format.model import DEFAULT_LIMITS, Limits
from index_format.records import Record, replace
from index_format.segment.entry import SegmentEntry
from index_format.segment.merge import MergeInput
from index_format.segment.reader import SegmentReader, replace_dead

# so many deltas of one size class are merged into one: every search reads each of them, so few
# and wide classes save it more than they cost in merging
TIER_WIDTH: Final = 4
_TIER_BASE: Final = 32
# every search opens and reads each delta: with more of them, merging comes before what waits for it
MOST_DELTAS: Final = 32
# once this share of the chunks is outside the canonical layout, a full merge step is taken
CANONICAL_DEBT: Final = 0.25
# a plan costs a look at all files: so much of it is carried out before there is another
_PLANNED_SHARE: Final = 4


class Merge(Record):
    """One step: write these files (in path order) as one segment."""

    files: Sequence[MergeInput]
    canonical: bool


def plan_full(snapshot: Snapshot, limits: Limits = DEFAULT_LIMITS) -> list[Merge]:
    """The steps towards the canonical layout, in path order; no two of them share a file."""
    files = [MergeInput(*item) for item in snapshot.files()]
    tokens = _tokens_of(snapshot, files)
    sizes = [segment.reader.files.sizes().tolist() for segment in snapshot.segments]
    held = [sizes[file.source][file.number] for file in files]
    return _steps(snapshot, files, find_cuts([file.path for file in files], limits, tokens, held))


def plan_share(
    snapshot: Snapshot, begin: bytes, stop: bytes | None, limits: Limits = DEFAULT_LIMITS
) -> list[Merge]:
    """The steps towards the canonical layout of the files from one path up to another.

    They are among those of `plan_full` if shares begin at both paths: see `find_shares`.
    """
    files = [MergeInput(*item) for item in snapshot.files(begin, stop)]
    paths = [file.path for file in files]
    ends = cut_share(paths, 0, len(paths), limits, _tokens_of(snapshot, files))
    return _steps(snapshot, files, ends)


def _tokens_of(snapshot: Snapshot, files: Sequence[MergeInput]) -> list[int]:
    fields = len(snapshot.schema.fields)
    totals = [
        segment.reader.files.totals(fields).sum(axis=0, dtype=np.int64).tolist()
        for segment in snapshot.segments
    ]
    return [totals[file.source][file.number] for file in files]


def _steps(snapshot: Snapshot, files: Sequence[MergeInput], ends: Sequence[int]) -> list[Merge]:
    parts = [files[begin:end] for begin, end in pairwise([0, *ends])]
    return [Merge(part, canonical=True) for part in parts if not _is_canonical(snapshot, part)]


def plan_lazy(
    snapshot: Snapshot, limits: Limits = DEFAULT_LIMITS, unmerged: Collection[str] = ()
) -> list[Merge]:
    """The next step worth taking, if there is one.

    `unmerged` segments are read by no step: then the canonical layout is not for this index.
    """
    entries = snapshot.manifest.segments
    debt = sum(_debt(entry) for entry in entries)
    if not unmerged and debt > CANONICAL_DEBT * snapshot.chunk_count:
        steps = plan_full(snapshot, limits)
        return steps[: -(-len(steps) // _PLANNED_SHARE)]
    return plan_deltas(snapshot, unmerged)


def plan_deltas(snapshot: Snapshot, unmerged: Collection[str] = ()) -> list[Merge]:
    """The next merge of deltas of one size class, if there is one."""
    tiers: dict[int, list[int]] = {}
    for number, entry in _deltas(snapshot, unmerged):
        tiers.setdefault(_tier(entry), []).append(number)
    for _, members in sorted(tiers.items()):
        if len(members) >= TIER_WIDTH:
            return [Merge(_live_files(snapshot, members), canonical=False)]
    return []


def has_many_deltas(snapshot: Snapshot, unmerged: Collection[str] = ()) -> bool:
    """True if there are so many that merging them can't wait."""
    return sum(1 for _ in _deltas(snapshot, unmerged)) > MOST_DELTAS


def list_small(
    snapshot: Snapshot, most_chunks: int, least: int, unmerged: Collection[str] = ()
) -> list[MergeInput]:
    """The live files of segments of up to so many chunks, in path order.

    None if there are fewer than `least` such segments outside the canonical layout.
    """
    small = [number for number, entry in _deltas(snapshot, unmerged) if entry.chunks <= most_chunks]
    return _live_files(snapshot, small) if len(small) >= least else []


def _deltas(snapshot: Snapshot, unmerged: Collection[str]) -> Iterator[tuple[int, SegmentEntry]]:
    """The segments outside the canonical layout that may be merged, by their numbers."""
    for number, entry in enumerate(snapshot.manifest.segments):
        if not entry.canonical and entry.name not in unmerged:
            yield number, entry


def _live_files(snapshot: Snapshot, numbers: Iterable[int]) -> list[MergeInput]:
    """The live files of these segments, in path order."""
    return sorted(
        MergeInput(path, number, file)
        for number in numbers
        for path, file in snapshot.segments[number].live_files()
    )


def next_segments(
    snapshot: Snapshot, planned_on: Snapshot, merge: Merge, written: SegmentEntry
) -> list[SegmentEntry]:
    """The segments of the next generation, once the segment of a step is written.

    Other steps of the same plan may have been taken since.
    """
    moved: dict[str, set[int]] = {}
    for file in merge.files:
        moved.setdefault(planned_on.manifest.segments[file.source].name, set()).add(file.number)
    entries = []
    for number, entry in enumerate(snapshot.manifest.segments):
        left = mark_dead(snapshot, number, entry, moved.get(entry.name, set()))
        if left is not None and entry.name != written.name:
            entries.append(left)
    return sort_segments([*entries, written], snapshot, merge, written)


def mark_dead(
    snapshot: Snapshot, number: int, entry: SegmentEntry, gone: set[int]
) -> SegmentEntry | None:
    """The entry with more files dead; None when none is left."""
    if not gone:
        return entry
    dead = gone.union(entry.dead_files)
    if len(dead) == entry.files:
        return None
    return replace_dead(entry, snapshot.segments[number].reader, dead)


def mark_canonical(entry: SegmentEntry, reader: SegmentReader, limits: Limits) -> SegmentEntry:
    """The entry of an index's only segment, as canonical if merging would write the same bytes."""
    if entry.canonical or entry.dead_files or not entry.files:
        return entry
    tokens = reader.files.totals(len(entry.live_totals)).sum(axis=0, dtype=np.int64).tolist()
    sizes = reader.files.sizes().tolist()
    cuts = find_cuts(reader.files.paths.all, limits, tokens, sizes)
    return replace(entry, canonical=True) if len(cuts) == 1 else entry


def sort_segments(
    entries: list[SegmentEntry], snapshot: Snapshot, merge: Merge, written: SegmentEntry
) -> list[SegmentEntry]:
    """Canonical segments in path order, then the others as they came."""
    first = {
        segment.entry.name: segment.reader.files.paths.path(0)
        for segment in snapshot.segments
        if segment.entry.canonical
    }
    first[written.name] = merge.files[0].path
    canonical = [entry for entry in entries if entry.canonical]
    rest = [entry for entry in entries if not entry.canonical]
    return [*sorted(canonical, key=lambda entry: first[entry.name]), *rest]


def _is_canonical(snapshot: Snapshot, wanted: Sequence[MergeInput]) -> bool:
    number = wanted[0].source
    entry = snapshot.manifest.segments[number]
    alone = all(file.source == number for file in wanted)
    return alone and entry.canonical and not entry.dead_files and entry.files == len(wanted)


def _debt(entry: SegmentEntry) -> int:
    """Its chunks outside the canonical layout: dead ones take room wherever they are."""
    return entry.chunks - entry.live_chunks if entry.canonical else entry.chunks


def _tier(entry: SegmentEntry) -> int:
    tier = 0
    while entry.live_chunks >= _TIER_BASE ** (tier + 1):
        tier += 1
    return tier
