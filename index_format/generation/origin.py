r"""The record of what was published in a store: files planted there later are refused.

Checksums find accidents; whoever plants a file computes them. A store that others can write to (the
data folder of a repository, into which a `git pull` may bring files) keeps this record outside its
folder, under a key that nobody can ship, see `Store.origin_key`:

    <blake2b of the other lines, with the key>\n
    <manifest name> <blake2b of its bytes>\n             for each manifest
    <segment name> <identity of the file>\n              for each segment

A manifest is vouched for by its digest here, and names segments by the digest of their bytes. The
identity only spares hashing a segment at each opening: where another program has touched the file,
its bytes are read once and compared with its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from typing import Final

from index_format import layout
from index_format.blake2 import blake2b, compare_digest
from index_format.errors import CorruptIndexError, ForeignIndexError, IndexFormatError
from index_format.records import Record, field
from index_format.segment.entry import SegmentEntry, check_length
from index_format.store import names
from index_format.store.contract import ReadHandle, Store

_TAG_BYTES: Final = 16
_PIECE_BYTES: Final = 1 << 20
# the names that bytes of files have given, by name and identity of the file
_NAMES: Final[dict[tuple[str, str], str]] = {}
_MOST_NAMES: Final = 10_000


class OriginRecord(Record):
    """Digests of manifests and identities of segments, by file name."""

    manifests: Mapping[str, str] = field(factory=dict)
    segments: Mapping[str, str] = field(factory=dict)


def load_record(store: Store) -> OriginRecord | None:
    """The store's record, None if it keeps none; `ForeignIndexError` if it was not made here."""
    if not store.keeps_origin:
        return None
    try:
        tag, _, body = store.read_origin().partition(b"\n")
        expected = _tag(store, body)
    except IndexFormatError as error:
        raise _foreign(layout.ORIGIN_NAME, "no record of this folder") from error
    if not compare_digest(tag, expected):
        raise _foreign(layout.ORIGIN_NAME, "a record that was not written here")
    try:
        return _decode(body)
    except ValueError as error:
        raise _foreign(layout.ORIGIN_NAME, "a record of another form") from error


def record_publication(
    store: Store, manifest_name: str, data: bytes, segments: Iterable[SegmentEntry]
) -> None:
    """Vouch for a manifest and its segments, besides those of the record that are still there.

    The caller holds the writer lock. A segment that is not in the record, or was touched since, is
    read once: only bytes that give its name are vouched for.
    """
    if not store.keeps_origin:
        return
    old = OriginRecord()
    with suppress(ForeignIndexError):
        old = load_record(store) or old
    present = set(store.names())
    known = {name: value for name, value in old.segments.items() if name in present}
    known |= {
        entry.name: _verified_identity(store, entry, known.get(entry.name)) for entry in segments
    }
    manifests = {name: value for name, value in old.manifests.items() if name in present}
    manifests[manifest_name] = digest_of(data)
    write_record(store, OriginRecord(manifests, known))


def record_identities(store: Store, identities: Mapping[str, str]) -> None:
    """Vouch for segments whose bytes the caller has compared with their names, where they are now.

    The caller holds the writer lock.
    """
    record = load_record(store)
    if record is not None:
        write_record(store, OriginRecord(record.manifests, {**record.segments, **identities}))


def write_record(store: Store, record: OriginRecord) -> None:
    """Replace the store's record."""
    body = _encode(record)
    store.write_origin(_tag(store, body) + b"\n" + body)


def check_manifest(record: OriginRecord | None, name: str, data: bytes) -> None:
    """Refuse a manifest that the record does not vouch for."""
    if record is not None and record.manifests.get(name) != digest_of(data):
        raise _foreign(name, "bytes that were not published here")


class SegmentOpener:
    """Opens segments that a manifest of this store names; reads the record when it is needed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._identities: Mapping[str, str] | None = None

    def open(self, name: str, length: int) -> ReadHandle:
        """The segment; `CorruptIndexError` if the store keeps a record, and not of these bytes.

        A file of another length is refused unread.
        """
        handle = self._store.open(name)
        try:
            check_length(handle, length)
            if self._store.keeps_origin and self._recorded(name) != handle.identity:
                _check_once(handle)
        except BaseException:
            handle.close()
            raise
        return handle

    def _recorded(self, name: str) -> str | None:
        if self._identities is None:
            record = load_record(self._store)
            self._identities = {} if record is None else record.segments
        return self._identities.get(name)


def open_recorded(store: Store, name: str, length: int) -> ReadHandle:
    """Open a segment as a reader of this store does: `CorruptIndexError` for other bytes."""
    return SegmentOpener(store).open(name, length)


def check_bytes(handle: ReadHandle, entry: SegmentEntry) -> None:
    """Read a segment, unless it has another length; `CorruptIndexError` for other bytes."""
    check_length(handle, entry.length)
    check_name(handle)


def check_name(handle: ReadHandle) -> None:
    """Read a segment; `CorruptIndexError` if its name is not the digest of its bytes."""
    _compare(handle, _name_of(handle))


def _check_once(handle: ReadHandle) -> None:
    """As `check_name`, but a file that nobody has touched since is not read again."""
    key = handle.name, handle.identity
    actual = _NAMES.get(key) or _name_of(handle)
    if handle.identity and not handle.identity.startswith(layout.UNREAD):
        if len(_NAMES) >= _MOST_NAMES:
            _NAMES.clear()
        _NAMES[key] = actual
    _compare(handle, actual)


def _name_of(handle: ReadHandle) -> str:
    digest = blake2b(digest_size=layout.SEGMENT_DIGEST_BYTES)
    for start in range(0, handle.size, _PIECE_BYTES):
        digest.update(handle.read(start, min(_PIECE_BYTES, handle.size - start)))
    return layout.segment_name(digest.digest())


def _compare(handle: ReadHandle, actual: str) -> None:
    if actual != handle.name:
        raise CorruptIndexError(handle.name, "file", 0, f"the bytes of {actual}", "its own")


def digest_of(data: bytes) -> str:
    """The digest of a manifest's bytes."""
    return blake2b(data, digest_size=_TAG_BYTES).hexdigest()


def _verified_identity(store: Store, entry: SegmentEntry, known: str | None) -> str:
    with closing(store.open(entry.name)) as handle:
        check_length(handle, entry.length)
        if handle.identity != known and not handle.identity.startswith(layout.UNREAD):
            _check_once(handle)
        return handle.identity


def _tag(store: Store, body: bytes) -> bytes:
    made = blake2b(body, key=store.origin_key(), digest_size=_TAG_BYTES)
    return made.hexdigest().encode()


def _encode(record: OriginRecord) -> bytes:
    rows = sorted([*record.manifests.items(), *record.segments.items()])
    return "".join(f"{name} {value}\n" for name, value in rows).encode()


def _decode(body: bytes) -> OriginRecord:
    rows = [line.partition(" ") for line in body.decode().splitlines()]
    values = {name: value for name, _, value in rows}
    segments = {name for name in values if names.is_segment(name)}
    return OriginRecord(
        {name: value for name, value in values.items() if name not in segments},
        {name: values[name] for name in segments},
    )


def _foreign(name: str, got: str) -> ForeignIndexError:
    return ForeignIndexError(name, "origin", 0, got, "an index that was made here")
