"""A generation as another store takes it over: a manifest without history, and segments by name.

A portable manifest has the number 1 and settings that do not depend on where it was made, so equal
segments give equal bytes whatever came before them. All that arrives is untrusted: a segment
becomes visible once its bytes have given its name, and a generation once all its segments are
opened and have the numbers that its manifest says. Callers hold the writer lock of the store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Final

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    ForeignIndexError,
    IndexMissingError,
    UnsupportedVersionError,
)
from index_format.generation import commit
from index_format.generation.manifest import Manifest, decode, encode
from index_format.generation.origin import (
    OriginRecord,
    check_bytes,
    check_name,
    load_record,
    open_recorded,
    record_identities,
    write_record,
)
from index_format.model import Schema
from index_format.records import replace
from index_format.segment.entry import SegmentEntry
from index_format.segment.reader import open_segment, replace_dead
from index_format.store import names
from index_format.store.contract import Store
from index_format.store.file_store import FileStore
from index_format.store.shared_store import SharedStore

_GENERATION: Final = 1
_PIECE_BYTES: Final = 4 << 20


def export_manifest(manifest: Manifest, settings: str) -> bytes:
    """The portable form of a generation, with these settings in place of its own."""
    return encode(replace(manifest, generation=_GENERATION, settings=settings))


def import_manifest(data: bytes, schema: Schema) -> Manifest:
    """The generation of `export_manifest`; `CorruptIndexError` for any other bytes or schema."""
    name = layout.manifest_name(_GENERATION)
    manifest = decode(data, name)
    if manifest.schema != schema:
        raise CorruptIndexError(name, "fields", 0, "other fields", "those of this index")
    return manifest


def holds_segment(store: Store, entry: SegmentEntry) -> bool:
    """True if the store has this segment, with the bytes of its name; reads all of them."""
    try:
        with closing(store.open(entry.name)) as handle:
            check_bytes(handle, entry)
            return True
    except (FileMissingError, CorruptIndexError):
        return False


def read_segment(store: Store, entry: SegmentEntry) -> Iterator[bytes]:
    """The bytes of a segment in pieces, for `receive_segment` elsewhere."""
    with closing(store.open(entry.name)) as handle:
        for start in range(0, entry.length, _PIECE_BYTES):
            yield handle.read(start, min(_PIECE_BYTES, entry.length - start))


def receive_segment(store: Store, entry: SegmentEntry, pieces: Iterable[bytes]) -> None:
    """Write a segment that comes in pieces; nothing stays of one with other bytes than its own."""
    digest = hashlib.blake2b(digest_size=layout.SEGMENT_DIGEST_BYTES)
    handle = store.create()
    try:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > entry.length:
                raise CorruptIndexError(entry.name, "file", 0, "more bytes", entry.length)
            digest.update(piece)
            handle.write(piece)
        if size != entry.length:
            raise CorruptIndexError(entry.name, "file", 0, f"{size} bytes", entry.length)
        actual = layout.segment_name(digest.digest())
        if actual != entry.name:
            raise CorruptIndexError(entry.name, "file", 0, f"the bytes of {actual}", "its own")
        handle.publish(entry.name)
    finally:
        handle.discard()


def share_segments(store: SharedStore, entries: Iterable[SegmentEntry]) -> int:
    """Read these segments from the store's source, and remove own copies; returns bytes removed.

    A segment that the source does not have, whole, keeps its copy. The list of what is needed is
    written before a copy is removed, so that a run that ends anywhere leaves all segments readable.
    """
    own = set(store.names()) - store.borrowed()
    identities: dict[str, str] = {}
    removed = 0
    for entry in entries:
        if entry.name in own:
            try:
                with closing(store.open_borrowed(entry.name)) as handle:
                    check_bytes(handle, entry)
                    identities[entry.name] = handle.identity
            except (FileMissingError, CorruptIndexError):
                continue
            store.borrow([entry.name])
            store.remove_copy(entry.name)
            removed += entry.length
    if identities:
        store.sync()
        record_identities(store, identities)
    return removed


def link_segments(source: Store, target: Store, entries: Iterable[SegmentEntry]) -> None:
    """Have segments of another store here, as the same files where the disk allows, else as copies.

    The caller holds the writer locks of both. A new name changes the time by which a file is known
    to be untouched, so that both records are written anew: nothing is read for that. What the other
    store reads from a source of its own is read from there here, too, if this store knows the same.
    """
    vouched = load_record(source)
    identities: dict[str, str] = {}
    listed = set(target.names())
    for entry in entries:
        if entry.name in listed:
            continue
        if isinstance(source, SharedStore) and entry.name in source.all_borrowed():
            if isinstance(target, SharedStore):
                target.borrow([entry.name])
            continue
        with closing(open_recorded(source, entry.name, entry.length)):
            is_linked = _link(_own_files(source), _own_files(target), entry.name)
        if not is_linked:
            receive_segment(target, entry, read_segment(source, entry))
        with closing(target.open(entry.name)) as handle:
            identities[entry.name] = handle.identity
    if vouched is None or not identities:
        return
    known = {name: identities.get(name, value) for name, value in vouched.segments.items()}
    write_record(source, OriginRecord(vouched.manifests, known))
    if target.keeps_origin:
        before = OriginRecord()
        with suppress(ForeignIndexError):
            before = load_record(target) or before
        write_record(target, OriginRecord(before.manifests, {**before.segments, **identities}))


def _own_files(store: Store) -> Store:
    """The store of what a store has of its own."""
    while isinstance(store, SharedStore):
        store = store.own
    return store


def _link(source: Store, target: Store, name: str) -> bool:
    if isinstance(source, FileStore) and isinstance(target, FileStore):
        return target.link_from(source, name)
    return False


def list_borrowed(store: SharedStore) -> list[SegmentEntry]:
    """Segments of the current generation that are read from the store's source, in its order."""
    try:
        current = commit.load_current(store)
    except (IndexMissingError, CorruptIndexError, UnsupportedVersionError):
        return []
    borrowed = store.borrowed()
    return [entry for entry in current.segments if entry.name in borrowed]


def copy_borrowed(store: SharedStore, entry: SegmentEntry, pieces: Iterable[bytes]) -> None:
    """Have an own copy of a segment of the source, which comes in pieces, and read that."""
    receive_segment(store, entry, pieces)
    with closing(store.open(entry.name)) as handle:
        _settle(store, {entry.name: handle.identity})


def settle_copies(store: SharedStore) -> None:
    """Need from the source no longer what the own store has; a run that ended may have left some.

    What is vouched for already is not read again; a damaged copy is removed.
    """
    copied = store.copied()
    record = load_record(store) if copied else None
    known = {} if record is None else record.segments
    identities: dict[str, str] = {}
    for name in copied:
        try:
            with closing(store.open(name)) as handle:
                if known.get(name) != handle.identity:
                    check_name(handle)
                identities[name] = handle.identity
        except CorruptIndexError:
            store.remove_copy(name)
    if identities:
        _settle(store, identities)


def _settle(store: SharedStore, identities: Mapping[str, str]) -> None:
    """The copies come first, so that a run that ends anywhere leaves all segments readable."""
    store.sync()
    record_identities(store, identities)
    store.release(identities)


def list_segment_paths(store: Store, entry: SegmentEntry, schema: Schema) -> Iterator[str]:
    """The paths of all files of a segment that is in the store, dead ones too."""
    with closing(store.open(entry.name)) as handle:
        reader = open_segment(handle, entry, schema)  # closes the file when it is garbage
        for path in reader.files.paths.all:
            yield path.decode("utf-8", "surrogatepass")


def adopt_manifest(store: Store, manifest: Manifest, settings: str) -> Manifest:
    """Publish a portable manifest, whose segments are in the store, as the next generation here.

    If that is the current one already, nothing is written. Where its segments contradict it, they
    are removed again.
    """
    base = _current(store)
    if base is not None and (base.segments, base.settings) == (manifest.segments, settings):
        return base
    try:
        for entry in manifest.segments:
            _check_entry(store, entry, manifest.schema)
    except (CorruptIndexError, UnsupportedVersionError):
        listed = set() if base is None else {entry.name for entry in base.segments}
        for entry in manifest.segments:
            if entry.name not in listed:
                store.remove(entry.name)
        raise
    new = replace(manifest, generation=commit.next_generation(store), settings=settings)
    commit.publish(store, base, new)
    return new


def _current(store: Store) -> Manifest | None:
    """The current generation; what is there instead and can't be read makes room."""
    try:
        return commit.load_current(store)
    except IndexMissingError:
        return None
    except (CorruptIndexError, UnsupportedVersionError):
        for name in store.names():
            if not names.is_segment(name):
                store.remove(name)
        return None


def _check_entry(store: Store, entry: SegmentEntry, schema: Schema) -> None:
    """Refuse an entry whose numbers are not those of its segment."""
    handle = store.open(entry.name)
    with closing(handle):
        reader = open_segment(handle, entry, schema)
        if (reader.file_count, reader.chunk_count) != (entry.files, entry.chunks):
            got = (reader.file_count, reader.chunk_count)
            raise CorruptIndexError(entry.name, "META[0]", 0, got, (entry.files, entry.chunks))
        if replace_dead(entry, reader, entry.dead_files) != entry:
            raise CorruptIndexError(entry.name, "totals", 0, "other counts", "the manifest's")
