"""Publishes a generation atomically, finds the current one, and removes old ones.

Publishing: segments are durable under their names already; then

1. write the manifest under its own name, 2. vouch for it, see `origin`, 3. sync the folder,
4. replace `CURRENT`, 5. sync again.

Until step 4 no reader sees the new manifest; after it none needs the old one. So a process that
dies at any point leaves the old or the new generation. It may also leave a manifest that
`CURRENT` never named, unlisted segments and temporary files: none of them is ever read by
mistake, and `collect_garbage` removes them. A generation number that such a manifest used is best
skipped, as `next_generation` does; if it is used again, the old bytes are replaced.

Readers take no lock. `load_current` finds a pointer and its manifest that belong together, because
the pointer holds the manifest's checksum; when the two don't fit it looks again, since a newer
generation may have been published and this one removed in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from typing import Final

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    IndexMissingError,
    InvalidInputError,
    StoreError,
    StoreWriteError,
    UnsupportedVersionError,
)
from index_format.generation.manifest import (
    Manifest,
    checksum,
    decode,
    decode_pointer,
    encode,
    encode_pointer,
    set_pointer,
)
from index_format.generation.origin import (
    check_manifest,
    load_record,
    record_publication,
)
from index_format.segment.entry import SegmentEntry, check_length
from index_format.store import names
from index_format.store.contract import Store

ATTEMPTS: Final = 5


def load_current(store: Store, known: Manifest | None = None) -> Manifest:
    """The manifest that `CURRENT` names; a mismatch that persists is damage.

    If that is the `known` one, which was read from this store or published there, it is not read
    again.
    """
    misfit = None
    for _ in range(ATTEMPTS):
        pointer = read_pointer(store)
        if known is not None and known.pointer == pointer:
            return known
        if misfit and misfit[0] == pointer:
            raise misfit[1]
        try:
            return _read_named(store, pointer)
        except CorruptIndexError as error:
            misfit = pointer, error
    message = "new generations are published faster than one can be read"
    raise IndexBusyError(message)


def read_pointer(store: Store) -> bytes:
    """The bytes of `CURRENT`, which change exactly when there is a new generation."""
    try:
        return _read(store, layout.CURRENT_NAME, layout.MAX_CURRENT_BYTES)
    except FileMissingError:
        # The first publication ever may have died before it wrote the pointer; any later
        # manifest was preceded by a pointer, which must have been there once.
        if max(_generations(store), default=0) <= 1:
            message = "there is no index in this store"
            raise IndexMissingError(message) from None
        raise _missing(layout.CURRENT_NAME, "a pointer to one of the manifests") from None


def next_generation(store: Store) -> int:
    """The first generation number that no manifest here has used, but 1 until 1 is published."""
    highest = max(_generations(store), default=0)
    return 1 if highest == 1 and layout.CURRENT_NAME not in store.names() else highest + 1


def publish(store: Store, base: Manifest | None, new: Manifest) -> None:
    """Make `new` the current generation in place of `base`; the caller holds the writer lock.

    `base` comes from `load_current`, or from `recover` if that failed; None when there is no index
    or none worth keeping.
    """
    _check_base(store, base, new)
    _check_segments(store, base, new)
    name, data = layout.manifest_name(new.generation), encode(new)
    handle = store.create()
    try:
        handle.write(data)
        handle.publish(name)
    finally:
        handle.discard()
    record_publication(store, name, data, new.segments)
    store.sync()
    pointer = encode_pointer(name, data)
    store.replace(layout.CURRENT_NAME, pointer)
    store.sync()
    set_pointer(new, pointer)


def recover(store: Store) -> Manifest:
    """The newest sound manifest whose segments are all there; changes nothing."""
    for generation in sorted(_generations(store), reverse=True):
        with suppress(CorruptIndexError, UnsupportedVersionError, FileMissingError):
            manifest = read_manifest(store, layout.manifest_name(generation))
            for entry in manifest.segments:
                _check_length(store, entry)
            return manifest
    message = "no manifest in this store is sound and complete"
    raise IndexMissingError(message)


def collect_garbage(
    store: Store,
    current: Manifest,
    *,
    grace_seconds: float = 60.0,
    keep_generations: int = 1,
    spare: float = math.inf,
) -> list[str]:
    """Remove files that no reader needs any more; the caller holds the writer lock.

    Files published less than `grace_seconds` ago stay. So do the `keep_generations` before
    the current one, with their segments, until they have been out of date for that long: readers
    may be about to open them. Files that can't be removed now are left for the next time.

    What stays takes at most `spare` times the bytes of the current generation: the newest
    generations stay first. A reader that finds one of them gone reads the newer manifest.
    """
    kept = names_of(current)
    room = spare * sum(size_of(store, name) for name in kept)
    for name in _young_manifests(store, current.generation, grace_seconds, keep_generations):
        needed = {name}
        with suppress(CorruptIndexError, UnsupportedVersionError, FileMissingError):
            needed.update(entry.name for entry in read_manifest(store, name).segments)
        room -= sum(size_of(store, item) for item in needed - kept)
        if room < 0:
            break
        kept |= needed
    # Manifests sort before segments: one that stays because the work broke off is complete.
    unneeded = [name for name in store.names() if name not in kept]
    young = {name for name in unneeded if store.age(name) <= grace_seconds}
    if sum(size_of(store, name) for name in young) > room:
        young.clear()
    return list(_remove(store, (name for name in unneeded if name not in young)))


def names_of(current: Manifest) -> set[str]:
    """The files that the current generation needs."""
    kept = {layout.CURRENT_NAME, layout.manifest_name(current.generation)}
    kept.update(entry.name for entry in current.segments)
    return kept


def _read(store: Store, name: str, most: int) -> bytes:
    with closing(store.open(name)) as handle:
        if handle.size > most:
            raise CorruptIndexError(name, "file", 0, f"{handle.size} bytes", f"at most {most}")
        return handle.read(0, handle.size)


def read_manifest(store: Store, name: str) -> Manifest:
    """The manifest of this name, if it is sound by itself and was published here."""
    data = _read(store, name, layout.MAX_MANIFEST_BYTES)
    check_manifest(load_record(store), name, data)
    return decode(data, name)


def _read_named(store: Store, pointer: bytes) -> Manifest:
    name, expected = decode_pointer(pointer)
    try:
        data = _read(store, name, layout.MAX_MANIFEST_BYTES)
    except FileMissingError:
        raise _missing(name, "the manifest that CURRENT names") from None
    check_manifest(load_record(store), name, data)
    manifest = decode(data, name)  # first, so that damage there isn't blamed on the pointer
    actual = checksum(data)
    if actual != expected:
        raise CorruptIndexError(layout.CURRENT_NAME, "checksum", len(name) + 1, expected, actual)
    return manifest


def _missing(name: str, expected: str) -> CorruptIndexError:
    return CorruptIndexError(name, "file", 0, "no file", expected)


def _generations(store: Store) -> list[int]:
    return [number for number in map(names.generation, store.names()) if number is not None]


def _check_base(store: Store, base: Manifest | None, new: Manifest) -> None:
    lowest = 1 if base is None else base.generation + 1
    try:
        found: Manifest | None = load_current(store, base)
    except (IndexMissingError, CorruptIndexError):
        found = None if base is None else recover(store)
    except UnsupportedVersionError:  # sound for another version of this library: it stays whole
        found, lowest = None, next_generation(store)
    if found != base:
        message = "the index has changed since the base was read"
        raise InvalidInputError(message)
    if new.generation < lowest:
        message = f"generation {new.generation} is taken: the next is {lowest}"
        raise InvalidInputError(message)


def _check_segments(store: Store, base: Manifest | None, new: Manifest) -> None:
    """Of segments that were there before, the names must do: opening all costs too much."""
    present = set(store.names())
    known = set(base.segments) if base else set()
    for entry in new.segments:
        if entry.name not in present:
            raise FileMissingError(entry.name)
        if entry not in known:
            _check_length(store, entry)


def _check_length(store: Store, entry: SegmentEntry) -> None:
    with closing(store.open(entry.name)) as handle:
        check_length(handle, entry.length)


def _young_manifests(store: Store, current: int, grace: float, keep: int) -> Iterator[str]:
    """Manifests to keep besides the current one."""
    successor = layout.manifest_name(current)
    for generation in sorted(_generations(store), reverse=True):
        name = layout.manifest_name(generation)
        if generation == current:
            continue
        recent = False
        if generation < current and keep > 0:
            recent = store.age(successor) <= grace
            keep, successor = keep - 1, name
        if recent or store.age(name) <= grace:
            yield name


def size_of(store: Store, name: str) -> int:
    """Bytes of a file; 0 when it is gone, or not a file."""
    with suppress(CorruptIndexError, StoreError), closing(store.open(name)) as handle:
        return handle.size
    return 0


def _remove(store: Store, unneeded: Iterable[str]) -> Iterator[str]:
    for name in unneeded:
        with suppress(StoreWriteError):
            if store.remove(name):
                yield name
