"""Snapshots of several indexes as one, whose paths begin with the place of each.

Its answers are those of one index over all files with these paths: counts, statistics and the
order of paths are of all segments together. Nothing is copied, and no index knows of another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from index_format import layout
from index_format.blake2 import blake2b
from index_format.errors import InvalidInputError
from index_format.generation.manifest import Manifest
from index_format.generation.snapshot import LiveSegment, Snapshot
from index_format.records import Record, replace
from index_format.segment.entry import SegmentEntry
from index_format.segment.mounted import FolderTerms, MountedSegment
from index_format.segment.reader import replace_dead

# the byte behind a slash
_BEHIND: Final = b"0"


class Mount(Record):
    """A snapshot, and the folder in which its files seem to be, with a slash at its end.

    Files in the folders `without`, which end so too, are left out: another mount has them. All
    chunks have the `terms` of the folder's name in the field of paths.
    """

    folder: str
    snapshot: Snapshot
    without: tuple[str, ...] = ()
    terms: FolderTerms | None = None


def unite(mounts: Sequence[Mount], settings: str) -> Snapshot:
    """One snapshot of all; `settings` are those of its manifest.

    Its generation is the sum of the generations, which grows when any of them is published.
    """
    schema = mounts[0].snapshot.schema
    entries, readers = [], {}
    for mount in mounts:
        if mount.snapshot.schema != schema:
            message = f"{mount.folder}: another schema than that of {mounts[0].folder}"
            raise InvalidInputError(message)
        folder = mount.folder.encode("utf-8", "surrogatepass")
        for segment in mount.snapshot.segments:
            name = _name(folder, segment.entry.name)
            entries.append(replace(_entry(segment, mount.without), name=name))
            readers[name] = MountedSegment(segment.reader, folder, mount.terms)
    generation = sum(mount.snapshot.generation for mount in mounts)
    return Snapshot(Manifest(generation, schema, settings, tuple(entries)), readers)


def _entry(segment: LiveSegment, without: Sequence[str]) -> SegmentEntry:
    """The segment's entry, in which files of these folders are dead, too."""
    if not without:
        return segment.entry
    paths = segment.reader.files.paths.list_all()
    dead = set(segment.dead_files)
    for folder in without:
        begin = folder.encode("utf-8", "surrogatepass")
        first = bisect_left(paths, begin)
        dead.update(range(first, bisect_left(paths, begin[:-1] + _BEHIND, first)))
    return replace_dead(segment.entry, segment.reader, dead)


def _name(folder: bytes, name: str) -> str:
    """The name of a segment in a folder: two indexes may have a segment of the same bytes."""
    digest = blake2b(folder + b"\0" + name.encode(), digest_size=layout.SEGMENT_DIGEST_BYTES)
    return layout.segment_name(digest.digest())
