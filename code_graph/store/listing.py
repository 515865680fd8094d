"""Lists and compares the files of snapshots by their fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from index_format import LiveSegment, SegmentReader, Snapshot
from index_format.records import Record

Choice = Callable[[str], bool]


class FileChanges(Record):
    """Paths in order: of files that are new or changed, and of files that are gone."""

    changed: tuple[str, ...]
    removed: tuple[str, ...]


def list_files(
    snapshot: Snapshot, attachment: str, choice: Choice | None = None
) -> Mapping[bytes, bytes]:
    """Fingerprints by path of all live files that have an attachment of this kind.

    `choice` leaves out files by their paths; equal ones choose the same.
    """
    largest = sorted(snapshot.segments, key=lambda segment: -segment.entry.files)
    if len(largest) == 1 and not largest[0].dead_files:
        return _files_of(largest[0].reader, attachment, choice)
    found: dict[bytes, bytes] = {}
    for segment in largest:
        found.update(_live_files(segment, attachment, choice))
    return found


def compare_files(old: Mapping[bytes, bytes], new: Mapping[bytes, bytes]) -> FileChanges:
    """The changes between files, given as fingerprints by path."""
    get = old.get
    changed = [path for path, fingerprint in new.items() if get(path) != fingerprint]
    removed: Iterable[bytes] = ()
    if len(old) + sum(path not in old for path in changed) != len(new):
        removed = [path for path in old if path not in new]
    return FileChanges(_paths(changed), _paths(removed))


def _live_files(segment: LiveSegment, attachment: str, choice: Choice | None) -> dict[bytes, bytes]:
    files = _files_of(segment.reader, attachment, choice).copy()
    for number in segment.dead_files:
        files.pop(segment.reader.files.paths.path(number), None)
    return files


_Listed = dict[tuple[str, Choice | None], dict[bytes, bytes]]
# segments never change
_LISTED: Final[WeakKeyDictionary[SegmentReader, _Listed]] = WeakKeyDictionary()


def _files_of(reader: SegmentReader, attachment: str, choice: Choice | None) -> dict[bytes, bytes]:
    """Fingerprints by path of the files of a segment that have the attachment."""
    known = _LISTED.setdefault(reader, {})
    key = attachment, choice
    if key not in known:
        known[key] = _read_files(reader, attachment)
        if choice is not None:
            known[key] = {path: value for path, value in known[key].items() if choice(_text(path))}
    return known[key]


def _read_files(reader: SegmentReader, attachment: str) -> dict[bytes, bytes]:
    sizes = reader.attachments.sizes(attachment).tolist()
    rows = zip(reader.files.paths.all, reader.files.fingerprints(), sizes, strict=True)
    return {path: fingerprint for path, fingerprint, size in rows if size}


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogatepass")


def _paths(found: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(map(_text, sorted(found)))
