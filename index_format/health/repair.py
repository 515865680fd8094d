"""Repairs an index: publishes its sound segments, and lists the files that must be added again.

A damaged pointer or manifest: back to the newest generation that is sound. A damaged segment: a
generation without it. Wrong numbers in a manifest: counted again. All of it is published the way
any generation is, and nothing is removed: the damaged files stay where they are, as evidence, until
garbage collection finds that no generation lists them. A second repair finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress

from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexFormatError,
    IndexMissingError,
)
from index_format.generation import commit
from index_format.generation.manifest import Manifest
from index_format.health.check import read_state
from index_format.health.segment_check import measure_entry, segment_problems
from index_format.model import Schema
from index_format.records import Record, replace
from index_format.segment.entry import SegmentEntry, check_length
from index_format.segment.reader import SegmentReader
from index_format.store.contract import Store

_LOCK_WAIT = 10.0


class RepairReport(Record):
    """The result of a repair, and the files that the caller has to add again."""

    generation: int | None  # the current generation now; None while there is none
    published: bool  # whether anything had to be done
    dropped: tuple[str, ...] = ()  # segments no longer listed
    again: tuple[str, ...] = ()  # paths of lost files: add them again
    complete: bool = True  # False: more may be lost or out of date; compare every file


def repair(
    store: Store, *, fallback: Schema | None = None, wait_seconds: float = _LOCK_WAIT
) -> RepairReport:
    """Publish a sound generation if the current one is not.

    If no generation is left, publishes an empty one with the schema `fallback`, if given.
    An index of another version of this library is left alone: `UnsupportedVersionError`.
    """
    with store.lock(wait_seconds):
        try:
            base: Manifest | None = commit.load_current(store)
        except CorruptIndexError:
            base = None
        except IndexMissingError:
            return RepairReport(None, published=False, complete=False)
        start = base or read_state(store).current
        if start is None:
            return _begin_anew(store, fallback)
        return _rebuild(store, base, start)


def _begin_anew(store: Store, schema: Schema | None) -> RepairReport:
    if schema is None:
        return RepairReport(None, published=False, complete=False)
    empty = Manifest(commit.next_generation(store), schema, "", ())
    commit.publish(store, None, empty)
    return RepairReport(empty.generation, published=True, complete=False)


def _rebuild(store: Store, base: Manifest | None, start: Manifest) -> RepairReport:
    kept, dropped = _split_damaged(store, start)
    if base is not None and kept == list(base.segments):
        return RepairReport(base.generation, published=False)
    generation = commit.next_generation(store)
    commit.publish(store, base, replace(start, generation=generation, segments=tuple(kept)))
    lost = [_paths(store, start, entry) for entry in dropped]
    known = base is not None and all(paths is not None for paths in lost)
    again = sorted({path for paths in lost for path in paths or ()})
    return RepairReport(
        generation,
        published=True,
        dropped=tuple(entry.name for entry in dropped),
        again=tuple(path.decode("utf-8", "surrogatepass") for path in again),
        complete=known,
    )


def _split_damaged(
    store: Store, manifest: Manifest
) -> tuple[list[SegmentEntry], list[SegmentEntry]]:
    """Corrected entries of sound segments, and the entries of the others."""
    kept: list[SegmentEntry] = []
    dropped: list[SegmentEntry] = []
    seen: set[bytes] = set()
    for entry in reversed(manifest.segments):  # the last of two live files of a path counts
        sound = _open_sound(store, manifest, entry, seen)
        if sound is None:
            dropped.append(entry)
        elif sound.files == 0 or len(sound.dead_files) < sound.files:
            kept.append(sound)
    return kept[::-1], dropped[::-1]


def _open_sound(
    store: Store, manifest: Manifest, entry: SegmentEntry, seen: set[bytes]
) -> SegmentEntry | None:
    """The entry with corrected numbers; None for a damaged or missing segment.

    A file that merely can't be read now (too many open, an I/O error) ends the repair instead.
    """
    try:
        with closing(store.open(entry.name)) as handle:
            if any(segment_problems(handle, manifest.schema, entry)):
                return None
            return _correct(SegmentReader(handle, manifest.schema), entry, seen)
    except (FileMissingError, CorruptIndexError):
        return None


def _correct(reader: SegmentReader, entry: SegmentEntry, seen: set[bytes]) -> SegmentEntry | None:
    """The entry with the segment's own numbers; None if it is of another segment."""
    if (reader.file_count, reader.chunk_count) != (entry.files, entry.chunks):
        return None
    gone = set(entry.dead_files)
    for number, path in enumerate(reader.files.paths.all):
        if number not in gone:
            if path in seen:
                gone.add(number)
            seen.add(path)
    # all numbers at once: an entry with some of them right would contradict itself
    return measure_entry(reader, entry, tuple(sorted(gone)))


def _paths(store: Store, manifest: Manifest, entry: SegmentEntry) -> Sequence[bytes] | None:
    """Live paths of a damaged segment; None if they can't be read.

    The seal proves that the file is the listed one, and the checksums that the paths in it
    are intact, even if other parts are damaged.
    """
    with suppress(IndexFormatError), closing(store.open(entry.name)) as handle:
        check_length(handle, entry.length)
        files = SegmentReader(handle, manifest.schema, entry.seal).files
        if files.count == entry.files:
            dead = set(entry.dead_files)
            return [path for number, path in enumerate(files.paths.all) if number not in dead]
    return None
