"""Checks a whole index and yields every inconsistency as a `Finding`.

Reads every byte of every file. Damage to files that the current generation lists is an error,
damage to files that only older ones list a warning, and an unlisted file is a note.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import closing, suppress
from enum import StrEnum
from itertools import pairwise
from typing import Final

from index_format import layout
from index_format.codec.frame import FramedFile
from index_format.errors import (
    CorruptIndexError,
    IndexFormatError,
    IndexMissingError,
    StoreError,
    UnsupportedVersionError,
)
from index_format.generation import commit
from index_format.generation.manifest import Manifest
from index_format.health.segment_check import (
    catch_damage,
    entry_problems,
    name_problems,
    segment_problems,
)
from index_format.records import Record
from index_format.segment.entry import SegmentEntry
from index_format.segment.reader import SegmentReader
from index_format.store import names
from index_format.store.contract import ReadHandle, Store

REPAIR: Final = "repair the index"
_COLLECT: Final = "garbage collection removes it"
_READABLE: Final = "make the file readable, then check again"
_UPGRADE: Final = "use the program that wrote it, or build a new index"


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"  # readers of the current generation fail, or would answer wrongly
    WARNING = "warning"  # only what is not current is damaged
    NOTE = "note"  # no damage, but a leftover file


class Finding(Record):
    """One inconsistency: its place, the problem, and the remedy."""

    severity: Severity
    file: str
    section: str
    offset: int
    problem: str
    remedy: str

    def __str__(self) -> str:
        """All of it on one line."""
        where = f"{self.file}: {self.section} at {self.offset}"
        return f"{self.severity}: {where}: {self.problem}; {self.remedy}"


def describe_damage(error: CorruptIndexError, severity: Severity, remedy: str) -> Finding:
    """The finding for a reader's error."""
    problem = f"got {error.got}, expected {error.expected}"
    return Finding(severity, error.file, error.section, error.offset, problem, remedy)


def check(store: Store) -> Iterator[Finding]:
    """All damage and leftover files of an index; nothing for an empty store."""
    state = read_state(store)
    yield from state.findings
    listed: set[str] = set()
    for manifest in state.manifests:
        severity = Severity.ERROR if manifest is state.current else Severity.WARNING
        for entry in manifest.segments:
            if entry.name not in listed:
                yield from segment_findings(store, manifest, entry, severity)
        listed.update(entry.name for entry in manifest.segments)
        yield from _entry_findings(store, manifest, severity)
    yield from _unlisted(store, listed)


class State(Record):
    """The manifests of a store."""

    current: Manifest | None  # the one that readers open, or would open after a repair
    manifests: tuple[Manifest, ...]  # the sound ones, the current one first, then the newest
    findings: tuple[Finding, ...]


def read_state(store: Store) -> State:
    """Read the pointer and all manifests."""
    findings: list[Finding] = []
    current: Manifest | None = None
    missing = False
    damage: IndexFormatError | None = None
    try:
        current = commit.load_current(store)
    except IndexMissingError:
        missing = True
    except IndexFormatError as error:
        damage = error
    sound = dict(_sound_manifests(store, findings, published=not missing))
    if damage:
        _add(findings, finding_of(damage, layout.CURRENT_NAME, Severity.ERROR, REPAIR))
    if current is None and not missing:
        current = _best(store, sound)
    ordered = sorted(sound, reverse=True)
    chosen = [sound[number] for number in ordered if not current or number != current.generation]
    newest = current.generation if current else 0
    unused = [manifest.generation for manifest in chosen if manifest.generation > newest]
    findings += [_note(layout.manifest_name(number), "never published") for number in unused]
    first = () if current is None else (current,)
    return State(current, (*first, *chosen), tuple(findings))


def segment_findings(
    store: Store, manifest: Manifest, entry: SegmentEntry, severity: Severity
) -> Iterator[Finding]:
    """Problems of one segment of a generation."""
    try:
        with closing(store.open(entry.name)) as handle:
            for error in segment_problems(handle, manifest.schema, entry):
                yield describe_damage(error, severity, REPAIR)
    except IndexFormatError as error:
        yield finding_of(error, entry.name, severity, REPAIR)


def finding_of(error: IndexFormatError, file: str, severity: Severity, remedy: str) -> Finding:
    """The finding for any error of this library."""
    if isinstance(error, CorruptIndexError):
        return describe_damage(error, severity, remedy)
    if isinstance(error, UnsupportedVersionError):
        return Finding(severity, error.file, "version", 0, str(error), _UPGRADE)
    return Finding(severity, file, "file", 0, str(error), _READABLE)


def _sound_manifests(
    store: Store, findings: list[Finding], *, published: bool
) -> Iterator[tuple[int, Manifest]]:
    """The readable manifests; `published`: some generation of this store is or was the current."""
    for name in store.names():
        generation = names.generation(name)
        if generation is not None:
            try:
                yield generation, commit.read_manifest(store, name)
            except IndexFormatError as error:
                # the current one is met again through the pointer, and is an error then
                unfinished = _note(name, "never published")
                found = finding_of(error, name, Severity.WARNING, _COLLECT)
                _add(findings, found if published else unfinished)


def _add(findings: list[Finding], found: Finding) -> None:
    """Add a finding in place of an earlier one at the same place."""
    place = (found.file, found.section, found.offset)
    findings[:] = [item for item in findings if (item.file, item.section, item.offset) != place]
    findings.append(found)


def _best(store: Store, sound: dict[int, Manifest]) -> Manifest | None:
    """The newest generation that is complete, or at least has a manifest."""
    with suppress(IndexMissingError, StoreError):
        return commit.recover(store)
    return sound[max(sound)] if sound else None


def _entry_findings(store: Store, manifest: Manifest, severity: Severity) -> Iterator[Finding]:
    """Mismatches between manifest and segments; unreadable segments are reported already."""
    name = layout.manifest_name(manifest.generation)
    live: list[Iterator[tuple[bytes, str]]] = []
    for entry in manifest.segments:
        with suppress(IndexFormatError), closing(store.open(entry.name)) as handle:
            if handle.size > entry.length:
                continue
            reader = SegmentReader(handle, manifest.schema)
            problems = list(catch_damage(entry_problems(reader, entry, name)))
            yield from (describe_damage(error, severity, REPAIR) for error in problems)
            live.append(_live_paths(reader, entry))
    for (path, first), (again, second) in pairwise(heapq.merge(*live)):
        if path == again:
            problem = f"{path[:256]!r} is alive in {first} and in {second}"
            yield Finding(severity, name, "segments", 0, problem, REPAIR)


def _live_paths(reader: SegmentReader, entry: SegmentEntry) -> Iterator[tuple[bytes, str]]:
    dead = set(entry.dead_files)
    paths = reader.files.paths.all
    return ((path, entry.name) for number, path in enumerate(paths) if number not in dead)


def _unlisted(store: Store, listed: set[str]) -> Iterator[Finding]:
    """Files that no sound manifest lists: left by a writer that died, or of a lost generation."""
    for name in store.names():
        if names.is_temporary(name):
            yield _note(name, "left by a writer that did not finish")
        elif names.is_segment(name) and name not in listed:
            with suppress(StoreError, CorruptIndexError), closing(store.open(name)) as handle:
                # its own frame says how long it is: a file of zeros is not read for its name
                damaged = any(catch_damage(_frame_problems(handle))) or any(name_problems(handle))
                yield _note(name, f"no sound generation lists it{', damaged' * damaged}")


def _frame_problems(handle: ReadHandle) -> Iterator[CorruptIndexError]:
    yield from ()
    FramedFile(handle)


def _note(name: str, problem: str) -> Finding:
    return Finding(Severity.NOTE, name, "file", 0, problem, _COLLECT)
