"""The vectors that an encoder has made of functions, in a file of the data folder.

    record   b"fvec" | key 16 | count of vectors u32 | digest 16 | tag 16 | vectors, 96 bytes each

A record is of one content of a file: a vector for each row that the index has of its declarations
(`symbol_rows.py`), in their order. The key is a digest of the content's fingerprint and the rows'
lines, so that edits, merged segments and other settings find again what is the same. The file's
name has a digest of the encoder's identity. The digest is of the vectors; the tag is of all before
it, with the key of the data folder, so that bytes of others are skipped without a look behind them.

Records are appended, and never changed. One that is damaged or half written is skipped, and its
file is encoded anew; the next one is found by its first bytes. Losing the file is harmless.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.stored import SYMBOL_ROWS
from repo_mcp.vectors import packing, symbol_rows
from repo_mcp.vectors.packing import U8

if TYPE_CHECKING:
    from index_format import SegmentReader

# numbers of a vector that are kept, and their bytes
NUMBERS: Final = 256
WIDTH: Final = packing.FINE_PLANES * NUMBERS // 8
_MAGIC: Final = b"fvec"
_KEY_BYTES: Final = 16
_COUNT: Final = struct.Struct("<I")
_DIGEST_BYTES: Final = 16
_TAG_AT: Final = len(_MAGIC) + _KEY_BYTES + _COUNT.size + _DIGEST_BYTES
_HEAD: Final = _TAG_AT + side_files.TAG_BYTES
# a larger file is not read; it has ten million functions
_MOST_BYTES: Final = 1 << 30
# lines of a row: its last bytes
_LINES: Final = 8


class FileRows(NamedTuple):
    """The rows of a file's declarations, and the key of their vectors."""

    file: int
    key: bytes
    rows: U8

    def fits(self, packed: bytes) -> bool:
        """True for a vector for each row."""
        return len(packed) == WIDTH * len(self.rows)

    def path_in(self, reader: SegmentReader) -> str:
        """The path of the file in its segment."""
        return reader.files.paths.path(self.file).decode("utf-8", "surrogatepass")


def rows_of_files(reader: SegmentReader, vector_width: int) -> Iterator[FileRows]:
    """The files of a segment that have rows, dead ones as well."""
    stride, files = symbol_rows.width(vector_width), reader.files
    sizes = reader.attachments.sizes(SYMBOL_ROWS)
    for file in ((sizes > 0) & (sizes % stride == 0)).nonzero()[0].tolist():
        attached = reader.attachments.get(file, SYMBOL_ROWS)
        rows = np.frombuffer(attached, np.uint8).reshape(-1, stride)
        lines = rows[:, -_LINES:].tobytes()
        yield FileRows(file, _key_of(files.fingerprint(file), lines), rows)


def _key_of(fingerprint: bytes, lines: bytes) -> bytes:
    return xxhash.xxh3_128_digest(fingerprint + lines)


class FunctionVectors:
    """The vectors of one encoder in one data folder; thread-safe, and read again as it grows."""

    def __init__(self, index_dir: str, identity: str) -> None:
        """Read nothing yet."""
        self._folder = index_dir
        self._name = f"functions-{xxhash.xxh3_64_hexdigest(identity.encode())}.vectors"
        self._lock = threading.Lock()
        self._read_to = 0
        self._known: dict[bytes, bytes] = {}

    def known(self) -> Mapping[bytes, bytes]:
        """The vectors of each key that are there now, and those that come; none of an unread file.

        Others may add to it meanwhile: it is not for loops.
        """
        with self._lock:
            try:
                begin = self._read_to
                data = side_files.get_end(self._folder, self._name, begin, _MOST_BYTES)
                if data:
                    tagger = side_files.Tagger(self._folder)
                    records = _Records(data, tagger)
                    self._known.update(records.vectors)
                    self._read_to = begin + records.end
            except OSError:
                self._known, self._read_to = {}, 0
            return self._known

    def append(self, key: bytes, vectors: Iterable[bytes]) -> None:
        """Add the vectors of a file; raises `OSError`."""
        tagger = side_files.Tagger(self._folder, create=True)
        side_files.append(self._folder, self._name, _record(key, b"".join(vectors), tagger))

    def drop_unused(self, used: Iterable[bytes]) -> None:
        """Write the file anew with the vectors of these keys alone, if others are most of it."""
        known = self.known()
        kept = {key: known[key] for key in used if key in known}
        if 2 * len(kept) >= len(known):
            return
        with self._lock:
            tagger = side_files.Tagger(self._folder)
            records = (_record(key, packed, tagger) for key, packed in kept.items())
            side_files.put(self._folder, self._name, more=records)
            self._known, self._read_to = {}, 0


def _record(key: bytes, packed: bytes, tagger: side_files.Tagger) -> bytes:
    count = _COUNT.pack(len(packed) // WIDTH)
    head = _MAGIC + key + count + xxhash.xxh3_128_digest(packed)
    return head + tagger.tag(head) + packed


class _Records:
    """The whole records of some bytes: vectors by key, and where the last one ends."""

    def __init__(self, data: bytes, tagger: side_files.Tagger) -> None:
        self.vectors: dict[bytes, bytes] = {}
        self.end = at = 0
        while (at := data.find(_MAGIC, at)) >= 0:
            packed = _packed_at(data, at, tagger)
            if packed is None:
                at += 1
                continue
            self.vectors[data[at + len(_MAGIC) : at + len(_MAGIC) + _KEY_BYTES]] = packed
            self.end = at = at + _HEAD + len(packed)


def _packed_at(data: bytes, at: int, tagger: side_files.Tagger) -> bytes | None:
    """The vectors of a record; None for one that is damaged or not whole yet."""
    head, begin = data[at : at + _TAG_AT], at + _HEAD
    if len(data) < begin or tagger.tag(head) != data[at + _TAG_AT : begin]:
        return None
    (count,) = _COUNT.unpack_from(head, len(_MAGIC) + _KEY_BYTES)
    packed = data[begin : begin + count * WIDTH]
    is_whole = len(packed) == count * WIDTH
    return packed if is_whole and head.endswith(xxhash.xxh3_128_digest(packed)) else None
