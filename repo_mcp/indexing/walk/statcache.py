"""Cached stat key and fingerprint of each file, so that unchanged files are not read again.

The cache is advice and may be lost or stale. An entry says "while the file has this stat key, its
content has this fingerprint"; whether the index holds that content, only the index knows.

    magic 4 | version u32 | msgpack [settings, generation's identity, paths joined by NUL,
    four numbers a path as little-endian i64, fingerprints joined, reasons]

It is a tagged file (see `side_files`): a forged cache could keep a changed file from being read.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgpack
import numpy as np
import xxhash

from index_format import Snapshot
from repo_mcp import side_files
from repo_mcp.safety.sandbox import StatKey

_NAME: Final = "stat.cache"
_MAGIC: Final = b"rmsc"
_VERSION: Final = 2
_HEAD: Final = struct.Struct("<4sI")
# about two million files
_MAX_BYTES: Final = 256 << 20
_FINGERPRINT: Final = 16
_DAMAGE: Final = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    struct.error,
    msgpack.UnpackException,
)
# matches no file, so that the next comparison reads the file
UNKNOWN: Final = StatKey(-1, -1, -1, -1)
NO_FINGERPRINT: Final = bytes(_FINGERPRINT)


class CachedStat(NamedTuple):
    """A file as last read; `reason` says why it was left out, empty if it was indexed.

    `shallow` files are indexed by words only; their facts are missing.
    """

    key: StatKey
    fingerprint: bytes
    reason: str = ""
    shallow: bool = False


@dataclass(slots=True)
class StatCache:
    """The files of one generation of an index."""

    settings: str
    generation: str = ""
    files: dict[str, CachedStat] = field(default_factory=dict)
    # whether it changed since it was saved
    unsaved: bool = False


def load(data_dir: str, settings: str) -> StatCache:
    """The saved cache; empty if it is missing, damaged or of other settings."""
    with suppress(*_DAMAGE):
        data = side_files.get_tagged(data_dir, _NAME, _MAX_BYTES)
        if _HEAD.unpack_from(data) == (_MAGIC, _VERSION):
            record = msgpack.unpackb(memoryview(data)[_HEAD.size :], use_list=True)
            if record[0] == settings:
                return StatCache(settings, _text(record[1]), _decode_files(*record[2:]))
    return StatCache(settings)


def save(data_dir: str, cache: StatCache) -> None:
    """Replace the saved cache atomically."""
    files = cache.files
    keys = np.array([seen.key for seen in files.values()], dtype="<i8").tobytes()
    prints = b"".join(seen.fingerprint.rjust(_FINGERPRINT, b"\0") for seen in files.values())
    marks = [f"{'s' if seen.shallow else ''}:{seen.reason}" for seen in files.values()]
    names = "\0".join(files).encode("utf-8", "surrogatepass")
    record = [cache.settings, cache.generation, names, keys, prints, _encode_marks(marks)]
    data = _HEAD.pack(_MAGIC, _VERSION) + msgpack.packb(record)
    with suppress(OSError):  # without a cache the next refresh is only slower
        side_files.put_tagged(data_dir, _NAME, data)
        cache.unsaved = False


def identity(snapshot: Snapshot) -> str:
    """A string that is unique to this generation of this index."""
    entries = repr(snapshot.manifest.segments).encode()
    return f"{snapshot.generation}:{xxhash.xxh3_128_hexdigest(entries)}"


def reassign(cache: StatCache, merged: Snapshot) -> None:
    """Assign the cache to a merged generation, if that holds the same files."""
    files = {path: seen.fingerprint for path, seen in cache.files.items() if not seen.reason}
    if files == {path: print_ for path, (print_, _) in merged.fingerprints().items()}:
        cache.generation = identity(merged)
        cache.unsaved = True


def invalidate(cache: StatCache) -> None:
    """Drop keys and fingerprints, so that every file is read and indexed again."""
    for path, seen in cache.files.items():
        cache.files[path] = seen._replace(key=UNKNOWN, fingerprint=NO_FINGERPRINT)


def delete(data_dir: str) -> None:
    """Delete the saved cache: the next refresh reads every file."""
    side_files.forget(data_dir, _NAME)


def _encode_marks(marks: list[str]) -> list[object]:
    """The distinct marks, and for each file the number of its mark."""
    kinds = sorted(set(marks))
    number = {mark: at for at, mark in enumerate(kinds)}
    return [kinds, np.array([number[mark] for mark in marks], dtype="<u2").tobytes()]


def _decode_files(
    names: object, keys: object, prints: object, marks: list[object]
) -> dict[str, CachedStat]:
    if not names:
        return {}
    paths, prints = _bytes(names).decode("utf-8", "surrogatepass").split("\0"), _bytes(prints)
    numbers = np.frombuffer(_bytes(keys), dtype="<i8").reshape(len(paths), 4).tolist()
    kinds, which = marks
    table: Mapping[int, tuple[str, bool]] = {
        at: (_text(kind).partition(":")[2], _text(kind).startswith("s"))
        for at, kind in enumerate(_list(kinds))
    }
    of_file = np.frombuffer(_bytes(which), dtype="<u2").tolist()
    if len(prints) != len(paths) * _FINGERPRINT:
        raise ValueError(len(prints))
    found: dict[str, CachedStat] = {}
    for at, (path, key, mark) in enumerate(zip(paths, numbers, of_file, strict=True)):
        reason, shallow = table[mark]
        begin = at * _FINGERPRINT
        found[path] = CachedStat(
            StatKey(*key), prints[begin : begin + _FINGERPRINT], reason, shallow
        )
    return found


def _list(value: object) -> list[object]:
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
