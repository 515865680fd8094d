"""Cached stat key and fingerprint of each file, so that unchanged files are not read again.

The cache is advice and may be lost or stale. An entry says "while the file has this stat key, its
content has this fingerprint"; whether the index holds that content, only the index knows.

    magic 4 | version u32 |
    msgpack [settings, generation's identity, segments, marks, notes, paths, rows]

and the blocks of all folders, see `stored_folders`. Segments are those of the generation: seals,
each with the numbers of dead files (u32). Marks are texts, and notes pairs of lists of reasons with
counts.

It is a headed file (see `side_files`): a forged cache could keep a changed file from being read.
The head has a hash of each block, which is compared when the block is read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final, TypeVar

import msgpack
import xxhash

from index_format import Snapshot
from index_format.records import Record, field
from repo_mcp import side_files
from repo_mcp.indexing.walk.file_states import NO_FINGERPRINT, FileStates
from repo_mcp.indexing.walk.stored_folders import (
    NO_NOTES,
    BlockFile,
    DamagedBlocksError,
    FolderNotes,
    Reasons,
    StoredFolders,
)
from repo_mcp.safety.sandbox import UNKNOWN_KEY

_NAME: Final = "stat.cache"
_MAGIC: Final = b"rmsc"
_VERSION: Final = 6
_HEAD: Final = struct.Struct("<4sI")
# about ten million files
_MAX_BYTES: Final = 1 << 30
_DAMAGE: Final = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    struct.error,
    msgpack.UnpackException,
)


_T = TypeVar("_T")


class StatCache(Record, frozen=False):
    """The files of one generation of an index."""

    settings: str
    generation: str = ""
    files: FileStates = field(factory=FileStates)
    # the generation's segments: by seal, the numbers of their dead files
    segments: Mapping[str, Sequence[int]] = {}
    # whether it changed since it was saved
    unsaved: bool = False


def load(data_dir: str, settings: str) -> StatCache:
    """The saved cache; empty if it is missing, damaged or of other settings."""
    found = StatCache(settings)
    with suppress(*_DAMAGE), side_files.open_headed(data_dir, _NAME, _MAX_BYTES) as (head, file):
        if _HEAD.unpack_from(head) == (_MAGIC, _VERSION):
            record = msgpack.unpackb(head[_HEAD.size :], unicode_errors="surrogatepass")
            of, generation, segments, marks, notes, paths, rows = _list(record)
            if of == settings:
                stored = _decode(notes, paths, rows, file)
                _check_marks(marks)
                found.files.use_stored(stored, marks)
                found.segments = _decode_segments(segments)
                found.generation = _text(generation)
                return found
    return StatCache(settings)


def load_folders(data_dir: str) -> bytes:
    """The folders of the saved cache, of whatever settings: each with its slash and a NUL."""
    with suppress(*_DAMAGE), side_files.open_headed(data_dir, _NAME, _MAX_BYTES) as (head, _):
        if _HEAD.unpack_from(head) == (_MAGIC, _VERSION):
            record = msgpack.unpackb(head[_HEAD.size :], unicode_errors="surrogatepass")
            *_, paths, _ = _list(record)
            return _bytes(paths)
    return b""


def save(data_dir: str, cache: StatCache) -> None:
    """Replace the saved cache atomically; what is in memory of it is dropped."""
    files = cache.files
    written = files.write()  # it may add marks
    written.drop_unused_notes()
    segments = {seal: _pack_numbers(dead) for seal, dead in cache.segments.items()}
    record: list[object] = [cache.settings, cache.generation, segments]
    record += [files.table.marks, written.notes, bytes(written.paths), bytes(written.rows)]
    head = _HEAD.pack(_MAGIC, _VERSION)
    head += msgpack.packb(record, unicode_errors="surrogatepass")
    with suppress(OSError, DamagedBlocksError):  # without a cache the next refresh is only slower
        side_files.put_headed(data_dir, _NAME, head, written.blocks())
        cache.unsaved = False
        again = load(data_dir, cache.settings)
        if again.generation == cache.generation and len(again.files) == len(files):
            files.use_saved(again.files)


def identity(snapshot: Snapshot) -> str:
    """A string that is unique to this generation of this index."""
    entries = repr(snapshot.manifest.segments).encode()
    return f"{snapshot.generation}:{xxhash.xxh3_128_hexdigest(entries)}"


def assign(cache: StatCache, snapshot: Snapshot) -> None:
    """Make the cache one of this generation, whose files it holds."""
    cache.generation = identity(snapshot)
    cache.segments = {entry.seal: entry.dead_files for entry in snapshot.manifest.segments}


def reassign(
    cache: StatCache, merged: Snapshot, before: Snapshot | None = None, steps: int = 0
) -> None:
    """Assign the cache to a generation merged in so many steps, if it holds the same files.

    With as many generations as steps since the one `before`, nobody else has changed the index.
    """
    is_merged = before is not None and merged.generation == before.generation + steps
    if before is not None and is_merged and cache.generation == identity(before):
        assign(cache, merged)
        cache.unsaved = True
        return
    known = {path: fingerprint for path, (fingerprint, _) in merged.fingerprints().items()}
    with suppress(DamagedBlocksError):  # then the next run starts over
        if known == dict(cache.files.fingerprints()):
            assign(cache, merged)
            cache.unsaved = True


def using(
    data_dir: str, settings: str, cache: StatCache | None, work: Callable[[StatCache], _T]
) -> _T:
    """Work with a cache, by default the saved one, or with an empty one if it is damaged."""
    cache = cache or load(data_dir, settings)
    try:
        return work(cache)
    except DamagedBlocksError:
        delete(data_dir)
        cache.files.use_stored(StoredFolders(), ())
        cache.generation, cache.segments = "", {}
        return work(cache)


def invalidate(cache: StatCache) -> None:
    """Drop keys and fingerprints, so that every file is read and indexed again."""
    for path, seen in list(cache.files.items()):
        cache.files[path] = seen._replace(key=UNKNOWN_KEY, fingerprint=NO_FINGERPRINT)


def delete(data_dir: str) -> None:
    """Delete the saved cache: the next refresh reads every file."""
    side_files.forget(data_dir, _NAME)


def _decode(notes: object, paths: object, rows: object, file: BinaryIO) -> StoredFolders:
    """The stored folders; raises one of the errors of damage."""
    begin = file.tell()
    told = [FolderNotes(*map(_reasons, _pair(item))) for item in _list(notes)]
    if told[0] != NO_NOTES:
        raise ValueError(told[0])
    found = StoredFolders(_bytes(paths), _bytes(rows), told, BlockFile(file, begin))
    if found.block_bytes != os.fstat(file.fileno()).st_size - begin:
        raise ValueError(begin)
    return found


def _pack_numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _decode_segments(segments: object) -> dict[str, tuple[int, ...]]:
    if not isinstance(segments, dict):
        raise TypeError(segments)
    return {
        _text(seal): struct.unpack(f"<{len(dead) // 4}I", dead)
        for seal, dead in zip(segments, map(_bytes, segments.values()), strict=True)
    }


def _check_marks(marks: object) -> None:
    if len({_text(mark).index(":") >= 0 and mark for mark in _list(marks)}) != len(_list(marks)):
        raise ValueError(marks)


def _reasons(value: object) -> Reasons:
    return tuple((_text(reason), _count(count)) for reason, count in map(_pair, _list(value)))


def _pair(value: object) -> tuple[object, object]:
    one, other = _list(value)
    return one, other


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value


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
