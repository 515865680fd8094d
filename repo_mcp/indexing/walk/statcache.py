"""Cached stat key and fingerprint of each file, so that unchanged files are not read again.

The cache is advice and may be lost or stale. An entry says "while the file has this stat key, its
content has this fingerprint"; whether the index holds that content, only the index knows.

    magic 4 | version u32 | msgpack [settings, generation's identity, marks, folders]

Marks are texts, and each folder is [path with its slash, digest, reasons and counts of files that
are left out, names joined by NUL, keys, fingerprints, numbers of marks as u16], see `file_states`.

It is a tagged file (see `side_files`): a forged cache could keep a changed file from being read.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from io import BytesIO
from typing import Any, Final

import msgpack
import numpy as np
import xxhash

from index_format import Snapshot
from index_format.records import Record, field
from repo_mcp import side_files
from repo_mcp.indexing.walk.file_states import (
    NO_FINGERPRINT,
    FileStates,
    FolderDigest,
    MarkTable,
    PackedFiles,
)
from repo_mcp.safety.sandbox import UNKNOWN_KEY

_NAME: Final = "stat.cache"
_MAGIC: Final = b"rmsc"
_VERSION: Final = 4
_HEAD: Final = struct.Struct("<4sI")
_PARTS: Final = 4
# of most folders no file is left out
_NO_COUNTS: Final = FolderDigest().left_out
# about two million files
_MAX_BYTES: Final = 256 << 20
_DAMAGE: Final = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    struct.error,
    msgpack.UnpackException,
)


class StatCache(Record, frozen=False):
    """The files of one generation of an index."""

    settings: str
    generation: str = ""
    files: FileStates = field(factory=FileStates)
    # whether it changed since it was saved
    unsaved: bool = False


def load(data_dir: str, settings: str) -> StatCache:
    """The saved cache; empty if it is missing, damaged or of other settings."""
    with suppress(*_DAMAGE):
        data = side_files.get_tagged(data_dir, _NAME, _MAX_BYTES)
        if _HEAD.unpack_from(data) == (_MAGIC, _VERSION):
            # one value after the other: all at once would take as much again
            content = BytesIO(data)
            content.seek(_HEAD.size)
            record = msgpack.Unpacker(content, unicode_errors="surrogatepass")
            if record.read_array_header() == _PARTS and record.unpack() == settings:
                return StatCache(settings, _text(record.unpack()), _decode_files(record))
    return StatCache(settings)


def save(data_dir: str, cache: StatCache) -> None:
    """Replace the saved cache atomically."""
    packer = msgpack.Packer(unicode_errors="surrogatepass")
    rows = list(cache.files.pack())  # it may add marks
    data = bytearray(_HEAD.pack(_MAGIC, _VERSION) + packer.pack_array_header(_PARTS))
    for value in (cache.settings, cache.generation, cache.files.table.marks):
        data += packer.pack(value)
    data += packer.pack_array_header(len(rows))
    for folder, packed, digest in rows:
        data += packer.pack([folder, digest.digest, list(digest.left_out.items()), *packed])
    with suppress(OSError):  # without a cache the next refresh is only slower
        side_files.put_tagged(data_dir, _NAME, data)
        cache.unsaved = False


def identity(snapshot: Snapshot) -> str:
    """A string that is unique to this generation of this index."""
    entries = repr(snapshot.manifest.segments).encode()
    return f"{snapshot.generation}:{xxhash.xxh3_128_hexdigest(entries)}"


def reassign(
    cache: StatCache, merged: Snapshot, before: Snapshot | None = None, steps: int = 0
) -> None:
    """Assign the cache to a generation merged in so many steps, if it holds the same files.

    With as many generations as steps since the one `before`, nobody else has changed the index.
    """
    is_merged = before is not None and merged.generation == before.generation + steps
    if before is not None and is_merged and cache.generation == identity(before):
        cache.generation = identity(merged)
        cache.unsaved = True
        return
    known = {path: fingerprint for path, (fingerprint, _) in merged.fingerprints().items()}
    if known == dict(cache.files.fingerprints()):
        cache.generation = identity(merged)
        cache.unsaved = True


def invalidate(cache: StatCache) -> None:
    """Drop keys and fingerprints, so that every file is read and indexed again."""
    for path, seen in list(cache.files.items()):
        cache.files[path] = seen._replace(key=UNKNOWN_KEY, fingerprint=NO_FINGERPRINT)


def delete(data_dir: str) -> None:
    """Delete the saved cache: the next refresh reads every file."""
    side_files.forget(data_dir, _NAME)


def _decode_files(record: msgpack.Unpacker) -> FileStates:
    found = FileStates()
    found.table = MarkTable(map(_text, _list(record.unpack())))
    most = len(found.table.marks)
    for _ in range(record.read_array_header()):
        folder, digest, left_out, *columns = _list(record.unpack())
        packed = PackedFiles(*map(_bytes, columns))
        packed.check()
        numbers = np.frombuffer(packed.marks, dtype="<u2")
        if len(numbers) and int(numbers.max()) >= most:
            raise ValueError(folder)
        counts = {_text(reason): int(count) for reason, count in _list(left_out)}
        compared = FolderDigest(_bytes(digest), counts or _NO_COUNTS)
        found.add_packed(_text(folder), packed, compared)
    return found


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(value)
    return value
