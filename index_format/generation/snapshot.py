"""An immutable view of one generation, on which all readers work.

Invariants:

- Its segments stay open, so commits, compaction and garbage collection never change its answers.
- A path is alive in at most one segment; older copies of a file are dead.
- A chunk's number is its number in the segment plus the segment's `base`: dead chunks have numbers.
- Counts and statistics are those of live chunks, so they equal those of an index that was built
  from the live files alone.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeAlias, TypeVar

import numpy as np

from index_format.codec.bits import I64, U8, is_new, ranges
from index_format.codec.chunks import CODE_LENGTHS
from index_format.codec.fingerprints import FileRecord
from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    SegmentLostError,
)
from index_format.generation.commit import load_current
from index_format.generation.manifest import Manifest
from index_format.generation.origin import SegmentOpener
from index_format.records import Record
from index_format.segment.entry import SegmentEntry
from index_format.segment.posting_lists import TermPostings
from index_format.segment.reader import SegmentReader, open_segment
from index_format.store.contract import Store

if TYPE_CHECKING:
    import numpy.typing as npt

Mask: TypeAlias = "npt.NDArray[np.bool_]"
A = TypeVar("A")

_ATTEMPTS: Final = 5
_NO_CODES: Final = np.zeros(0, dtype=np.uint8)


class ChunkRecord(Record):
    """A chunk and where it comes from."""

    path: str
    start_line: int
    end_line: int
    chunk_id: int


class LiveSegment:
    """A segment as one generation sees it: some of its files may be dead."""

    __slots__ = ("_dead_chunks", "_is_dead", "base", "dead_files", "entry", "reader")

    def __init__(self, reader: SegmentReader, entry: SegmentEntry, base: int) -> None:
        """Combine a reader with the segment's manifest entry."""
        self.reader = reader
        self.entry = entry
        self.base = base
        self.dead_files = frozenset(entry.dead_files)
        self._dead_chunks: I64 | None = None
        self._is_dead: Mask | None = None

    @property
    def dead_chunks(self) -> I64:
        """Numbers of dead chunks within the segment, ascending."""
        if self._dead_chunks is None:
            bounds = self.reader.files.bounds
            dead = np.array(self.entry.dead_files, dtype=np.int64)
            self._dead_chunks = ranges(bounds[dead], bounds[dead + 1] - bounds[dead])
        return self._dead_chunks

    @property
    def alive(self) -> list[bool]:
        """By file, true if it is alive."""
        alive = [True] * self.entry.files
        for number in self.dead_files:
            alive[number] = False
        return alive

    def live_files(
        self, begin: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, int]]:
        """Paths and numbers of live files in path order, from one path up to another."""
        paths = self.reader.files.paths.list_all()
        first = bisect_left(paths, begin)
        last = len(paths) if stop is None else bisect_left(paths, stop)
        rows = zip(paths[first:last], range(first, last), strict=True)
        return compress(rows, self.alive[first:last]) if self.dead_files else rows

    def dead_postings(self, postings: TermPostings) -> tuple[int, int]:
        """The number of dead chunks that hold the term, and of its occurrences in them."""
        dead = self._dead_mask()
        tail = dead[postings.tail_chunks]
        held, occurrences = int(tail.sum()), int(postings.tail_frequencies[tail].sum())
        if len(postings.meta):
            chunks, frequencies = postings.blocks(self._dead_blocks(postings.meta["last"]))
            gone = dead[chunks]
            held += int(gone.sum())
            occurrences += int(frequencies[gone].sum())
        return held, occurrences

    def _dead_mask(self) -> Mask:
        """By chunk, true if it is dead."""
        if self._is_dead is None:
            mask = np.zeros(self.entry.chunks, dtype=np.bool_)
            mask[self.dead_chunks] = True
            self._is_dead = mask
        return self._is_dead

    def _dead_blocks(self, last: npt.NDArray[np.uint32]) -> I64:
        """A mask of blocks that may hold dead chunks; `last` is the last chunk of each."""
        bounds = self.reader.files.bounds
        dead = np.array(self.entry.dead_files, dtype=np.int64)
        dead = dead[bounds[dead] < bounds[dead + 1]]
        first = np.searchsorted(last, bounds[dead])
        blocks = ranges(first, np.searchsorted(last, bounds[dead + 1] - 1) - first + 1)
        return blocks[is_new(blocks) & (blocks < len(last))]


class SegmentPostings(Record):
    """A term's postings in one segment of a snapshot."""

    segment: LiveSegment
    postings: TermPostings


class SnapshotQuery(Protocol[A]):
    """A read of dictionaries and postings; see `shard`."""

    def for_shard(self, shard: Shard, /) -> SnapshotQuery[A]:
        """The same, by the numbers that chunks have in a shard."""
        ...

    def answer(self, snapshot: Snapshot, /) -> A:
        """The answer for a snapshot or a shard, whose segments are open here."""
        ...

    def merge(self, whole: Snapshot, parts: Sequence[tuple[Shard, A]], /) -> A:
        """The answer for all shards; those of no shard are taken for empty."""
        ...


class Snapshot:
    """One generation, open for reading."""

    # true if workers read dictionaries and postings; true for a shard that a worker reads
    is_distributed: ClassVar[bool] = False
    is_shard: ClassVar[bool] = False

    def __init__(self, manifest: Manifest, readers: Mapping[str, SegmentReader]) -> None:
        """Line the segments up; `readers` are by segment name."""
        self.manifest = manifest
        self.schema = manifest.schema
        base = 0
        segments: list[LiveSegment] = []
        for entry in manifest.segments:
            reader = readers[entry.name]
            if (reader.file_count, reader.chunk_count) != (entry.files, entry.chunks):
                got = (reader.file_count, reader.chunk_count)
                raise CorruptIndexError(entry.name, "META[0]", 0, got, (entry.files, entry.chunks))
            segments.append(LiveSegment(reader, entry, base))
            base += entry.chunks
        self.segments = tuple(segments)
        self.chunk_span = base
        self.chunk_count = sum(entry.live_chunks for entry in manifest.segments)
        self._bases = [segment.base for segment in segments]
        self._codes: dict[int, U8] = {}
        self._file_starts: I64 | None = None

    def ask(self, query: SnapshotQuery[A]) -> A:
        """The answer to a query, whoever reads the segments."""
        return query.answer(self)

    @property
    def generation(self) -> int:
        """Number of the generation."""
        return self.manifest.generation

    @property
    def prefetches_terms(self) -> bool:
        """True if terms are better looked up together: others do, or segments are remote."""
        return self.is_distributed or any(item.reader.frame.is_remote for item in self.segments)

    @property
    def file_count(self) -> int:
        """Count of live files."""
        return sum(entry.files - len(entry.dead_files) for entry in self.manifest.segments)

    def token_count(self, field: int) -> int:
        """Tokens of a field in all live chunks."""
        return sum(entry.live_totals[field] for entry in self.manifest.segments)

    def postings(self, field: int, term: bytes) -> list[SegmentPostings]:
        """The term in each segment that holds it."""
        found: list[SegmentPostings] = []
        for segment in self.segments:
            postings = segment.reader.field(field).find(term)
            if postings is not None:
                found.append(SegmentPostings(segment, postings))
        return found

    def counts(self, lists: list[SegmentPostings]) -> tuple[int, int]:
        """The number of live chunks that hold a term, and of its occurrences in them."""
        chunks = sum(item.postings.entry.chunks for item in lists)
        occurrences = sum(item.postings.entry.occurrences for item in lists)
        for item in lists:
            if item.segment.dead_files:
                dead = item.segment.dead_postings(item.postings)
                chunks, occurrences = chunks - dead[0], occurrences - dead[1]
        return chunks, occurrences

    def terms(self, field: int, start: bytes = b"") -> Iterator[bytes]:
        """Terms from `start` on in byte order; some may be held by dead chunks only."""
        previous = None
        for term in heapq.merge(*(_terms_from(item, field, start) for item in self.segments)):
            if term != previous:
                yield term
            previous = term

    def segment_of(self, chunk: int) -> tuple[LiveSegment, int]:
        """The segment of a chunk, and the chunk's number within it."""
        segment = self.segments[bisect_right(self._bases, chunk) - 1]
        return segment, chunk - segment.base

    def chunk(self, chunk: int) -> ChunkRecord:
        """Path, lines and id of a chunk."""
        segment, local = self.segment_of(chunk)
        files, table = segment.reader.files, segment.reader.chunks
        path = files.paths.path(files.file_of(local)).decode("utf-8", "surrogatepass")
        first, last = table.lines(local)
        return ChunkRecord(path, first, last, table.chunk_id(local))

    def lines_of(self, chunk: int) -> tuple[int, int]:
        """First and last line of a chunk."""
        segment, local = self.segment_of(chunk)
        return segment.reader.chunks.lines(local)

    def lines_between(self, first: int, last: int) -> list[list[int]]:
        """First and last lines of consecutive chunks of a segment, the last not included."""
        segment, local = self.segment_of(first)
        found: list[list[int]] = segment.reader.chunks.lines_between(
            local, local + last - first
        ).tolist()
        return found

    def fingerprint_of(self, chunk: int) -> bytes:
        """The fingerprint of the file that holds a chunk."""
        segment, local = self.segment_of(chunk)
        files = segment.reader.files
        return files.fingerprint(files.file_of(local))

    def attachment_of(self, chunk: int, kind: str) -> bytes:
        """An attachment of the file that holds a chunk; empty when there is none."""
        segment, local = self.segment_of(chunk)
        return segment.reader.attachments.get(segment.reader.files.file_of(local), kind)

    def expect_attachments(self, chunks: Iterable[int], kind: str) -> None:
        """An attachment is read next for the files that hold these chunks."""
        if not any(segment.reader.frame.is_remote for segment in self.segments):
            return
        wanted: dict[int, list[int]] = {}
        for chunk in chunks:
            segment, local = self.segment_of(chunk)
            wanted.setdefault(segment.base, []).append(segment.reader.files.file_of(local))
        for segment in self.segments:
            if segment.base in wanted:
                segment.reader.attachments.expect(wanted[segment.base], kind)

    def chunk_rows(self, chunk: int, kind: str, width: int) -> tuple[int, bytes]:
        """The first chunk of the file that holds a chunk, and rows of `width` bytes of its chunks.

        The rows are an attachment, one behind the other; empty when there is none.
        """
        segment, local = self.segment_of(chunk)
        reader = segment.reader
        file = reader.files.file_of(local)
        first, end = reader.files.bounds[file : file + 2].tolist()
        rows = reader.attachments.get(file, kind)
        if rows and len(rows) != (end - first) * width:
            expected = f"{end - first} rows of {width} bytes"
            raise CorruptIndexError(segment.entry.name, kind, 0, f"{len(rows)} bytes", expected)
        return first + segment.base, rows

    def attached_bytes(self, kind: str) -> int:
        """Bytes of all attachments of a kind of live files."""
        return sum(
            int(segment.reader.attachments.sizes(kind)[segment.alive].sum())
            for segment in self.segments
        )

    def sort_key(self, chunk: int) -> tuple[bytes, int]:
        """The sort key of a chunk: path, then place in the file."""
        segment, local = self.segment_of(chunk)
        files = segment.reader.files
        file = files.file_of(local)
        return files.paths.path(file), local - int(files.bounds[file])

    def find(self, path: str) -> tuple[LiveSegment, int] | None:
        """The segment that holds the live file of this path, and its number there."""
        wanted = path.encode("utf-8", "surrogatepass")
        for segment in reversed(self.segments):
            number = segment.reader.files.paths.find(wanted)
            if number is not None and number not in segment.dead_files:
                return segment, number
        return None

    def file(self, path: str) -> FileRecord | None:
        """The live file of this path; its chunk numbers are those of the snapshot."""
        found = self.find(path)
        if found is None:
            return None
        segment, number = found
        record = segment.reader.files.record(number)
        first, last = record.first_chunk + segment.base, record.last_chunk + segment.base
        return FileRecord(record.path, record.fingerprint, record.size, first, last)

    def attachment(self, path: str, kind: str) -> bytes:
        """An attachment of a live file; empty when there is none."""
        found = self.find(path)
        return b"" if found is None else found[0].reader.attachments.get(found[1], kind)

    def paths(self) -> Iterator[str]:
        """Paths of live files in byte order."""
        for path, _, _ in self.files():
            yield path.decode("utf-8", "surrogatepass")

    def paths_named(self, parts: Sequence[str]) -> list[str]:
        """Paths of live files with one of these parts in their own names, whatever their letters.

        Parts are ASCII in small letters.
        """
        encoded = [part.encode("ascii") for part in parts]
        found: list[str] = []
        for segment in self.segments:
            paths = segment.reader.files.paths
            found += paths.paths_of(sorted(paths.named(encoded) - segment.dead_files))
        return sorted(found)

    def files(
        self, begin: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, int, int]]:
        """Path, segment number and file number of live files, in path order.

        Of all files, or of those from one path up to another.
        """
        found = [
            (path, number, file)
            for number, segment in enumerate(self.segments)
            for path, file in segment.live_files(begin, stop)
        ]
        found.sort()  # fast, since segments are in order already
        return iter(found)

    def fingerprints(self) -> dict[str, tuple[bytes, int]]:
        """Fingerprint and size of each live file by its path, in path order."""
        found: dict[str, tuple[bytes, int]] = {}
        for segment in self.segments:
            files = segment.reader.files
            values = zip(files.fingerprints(), files.sizes().tolist(), strict=True)
            names = (path.decode("utf-8", "surrogatepass") for path in files.paths.all)
            rows: Iterator[tuple[str, tuple[bytes, int]]] = zip(names, values, strict=True)
            if segment.dead_files:
                rows = compress(rows, segment.alive)
            found.update(rows)
        # characters sort as their UTF-8 does
        return {path: found[path] for path in sorted(found)}

    @property
    def file_starts(self) -> I64:
        """The first chunk of each file, dead ones included, and the end: files are numbered so."""
        if self._file_starts is None:
            parts = [item.reader.files.bounds[:-1] + item.base for item in self.segments]
            end = np.array([self.chunk_span], dtype=np.int64)
            self._file_starts = np.concatenate([*parts, end])
        return self._file_starts

    def path_of(self, file: int) -> str:
        """The path of a file, by its number among all files."""
        for segment in self.segments:
            if file < segment.entry.files:
                return segment.reader.files.paths.path(file).decode("utf-8", "surrogatepass")
            file -= segment.entry.files
        raise IndexError(file)

    def paths_of(self, files: I64) -> list[str]:
        """The paths of files, by their ascending numbers among all files."""
        found: list[str] = []
        numbers = files.tolist()
        first = begin = 0
        for segment in self.segments:
            count = segment.entry.files
            end = bisect_left(numbers, first + count, begin)
            if begin < end:
                there = [file - first for file in numbers[begin:end]]
                found += segment.reader.files.paths.paths_of(there)
            first, begin = first + count, end
        return found

    def lengths(self, field: int, chunks: I64) -> I64:
        """About how many tokens a field of each of these chunks has: exact for short ones."""
        return CODE_LENGTHS[self.codes(field)[chunks]]

    def codes(self, field: int) -> U8:
        """Length codes of a field for all chunk numbers of the snapshot."""
        codes = self._codes.get(field)
        if codes is None:
            parts = [segment.reader.chunks.codes(field) for segment in self.segments]
            codes = parts[0] if len(parts) == 1 else np.concatenate([*parts, _NO_CODES])
            self._codes[field] = codes
        return codes


class Shard:
    """Some segments of a snapshot, in its order, and how chunks are numbered among them alone."""

    def __init__(self, whole: Snapshot, names: Collection[str]) -> None:
        """Line the named segments up."""
        held = [item for item in whole.segments if item.entry.name in names]
        self.entries = tuple(item.entry for item in held)
        sizes = [item.entry.chunks for item in held]
        self._bases = np.array([item.base for item in held], dtype=np.int64)
        self._ends = self._bases + np.array(sizes, dtype=np.int64)
        self._starts = np.cumsum([0, *sizes], dtype=np.int64)[:-1]

    @property
    def names(self) -> frozenset[str]:
        """The names of the segments."""
        return frozenset(entry.name for entry in self.entries)

    def outward(self, chunks: I64) -> I64:
        """Chunks of the shard by their numbers in the whole."""
        if not len(chunks):
            return chunks
        at = np.searchsorted(self._starts, chunks, side="right") - 1
        found: I64 = chunks + (self._bases - self._starts)[at]
        return found

    def inward(self, chunks: I64) -> I64:
        """The (ascending) chunks of the whole that are in the shard, by its numbers."""
        edges = zip(self._bases.tolist(), self._ends.tolist(), self._starts.tolist(), strict=True)
        parts = [
            chunks[slice(*np.searchsorted(chunks, (base, end)).tolist())] + (start - base)
            for base, end, start in edges
        ]
        return np.concatenate([*parts, np.zeros(0, dtype=np.int64)])

    def cut(self, mask: Mask) -> Mask:
        """A mask over all chunks of the whole, for those of the shard."""
        edges = zip(self._bases.tolist(), self._ends.tolist(), strict=True)
        return np.concatenate([*(mask[slice(*edge)] for edge in edges), np.zeros(0, np.bool_)])


def chunks_of_files(file_starts: I64, files: I64) -> I64:
    """All chunks of files by their numbers; `file_starts` are those of the snapshot."""
    first = file_starts[files]
    return ranges(first, file_starts[files + 1] - first)


def _terms_from(segment: LiveSegment, field: int, start: bytes) -> Iterator[bytes]:
    for page, begin in segment.reader.field(field).terms.pages_from(start):
        yield from page.terms[begin:]


def open_snapshot(store: Store, previous: Snapshot | None = None) -> Snapshot:
    """Open the current generation: `previous` if it is that one, else it shares its open segments.

    A segment may vanish between reading the manifest and opening the file, when a newer generation
    is published and the old one collected: then the manifest is read again. A segment of the same
    generation that is missing again is lost.
    """
    known = list_readers(previous)
    missing: tuple[int, str] | None = None
    for _ in range(_ATTEMPTS):
        manifest = load_current(store, None if previous is None else previous.manifest)
        if previous is not None and previous.manifest == manifest:
            return previous
        if missing and missing[0] == manifest.generation:
            raise SegmentLostError(missing[1], "file", 0, "no file", "a segment")
        try:
            return open_manifest(store, manifest, known)
        except FileMissingError as error:
            missing = manifest.generation, error.name
    message = "new generations are published faster than one can be read"
    raise IndexBusyError(message)


def list_readers(snapshot: Snapshot | None) -> dict[str, SegmentReader]:
    """A snapshot's open readers, by segment name."""
    if snapshot is None:
        return {}
    return {item.entry.name: item.reader for item in snapshot.segments}


def open_manifest(
    store: Store, manifest: Manifest, known: Mapping[str, SegmentReader] | None = None
) -> Snapshot:
    """Open a given generation."""
    readers: dict[str, SegmentReader] = {}
    opener = SegmentOpener(store)
    for entry in manifest.segments:
        reader = (known or {}).get(entry.name)
        if reader is None or reader.frame.seal != entry.seal:
            reader = open_segment(opener.open(entry.name, entry.length), entry, manifest.schema)
        readers[entry.name] = reader
    return Snapshot(manifest, readers)
