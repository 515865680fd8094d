"""Shards of a snapshot: some of its segments, whose dictionaries and postings one machine reads.

What reads dictionaries or postings is a `SnapshotQuery`. Its answer for a snapshot follows from the
answers for shards that have each segment once, whichever these are, bit for bit: counts are added,
what is said of a segment stays as it is, and the best chunks of all are among the best of each
shard, in an order that is total. A shard scores with the statistics of the whole.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, Generic, Protocol, TypeVar

from index_format.generation.manifest import Manifest
from index_format.generation.origin import check_bytes
from index_format.generation.snapshot import LiveSegment, Shard, Snapshot, SnapshotQuery
from index_format.model import Schema
from index_format.records import Record
from index_format.segment.entry import SegmentEntry
from index_format.segment.reader import SegmentReader, open_segment
from index_format.store.contract import Store

A = TypeVar("A")


class Statistics(Record):
    """Statistics for scores besides the counts of terms: live chunks, and tokens by field."""

    chunks: int
    tokens: tuple[int, ...]

    @classmethod
    def of(cls, snapshot: Snapshot) -> Statistics:
        """The statistics of a whole snapshot."""
        fields = range(len(snapshot.schema.fields))
        return cls(snapshot.chunk_count, tuple(map(snapshot.token_count, fields)))


class BySegment(Generic[A]):
    """A query that is answered for each segment by itself, as a mapping by their names."""

    def of_segment(self, segment: LiveSegment) -> A:
        """The answer for one segment."""
        raise NotImplementedError

    def for_shard(self, _shard: Shard) -> BySegment[A]:
        """The same."""
        return self

    def answer(self, snapshot: Snapshot) -> Mapping[str, A]:
        """The answers of a shard's segments, in their order."""
        return {item.entry.name: self.of_segment(item) for item in snapshot.segments}

    def merge(
        self, whole: Snapshot, parts: Sequence[tuple[Shard, Mapping[str, A]]]
    ) -> Mapping[str, A]:
        """The answers of all segments, in the order of the whole."""
        found = {name: value for _, part in parts for name, value in part.items()}
        names = (item.entry.name for item in whole.segments)
        return {name: found[name] for name in names if name in found}


class ShardSnapshot(Snapshot):
    """A shard, open for reading: counts are its own, statistics those of the whole."""

    is_shard = True

    def __init__(
        self, manifest: Manifest, readers: Mapping[str, SegmentReader], statistics: Statistics
    ) -> None:
        """`manifest` lists the segments of the shard alone."""
        super().__init__(manifest, readers)
        self.chunk_count = statistics.chunks
        self._tokens = statistics.tokens

    def token_count(self, field: int) -> int:
        """Tokens of a field in all live chunks of the whole."""
        return self._tokens[field]


class Limit(Protocol):
    """The patience of a caller: until a deadline, or without waiting."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline; None without one."""
        ...

    def check(self) -> None:
        """Raise if nobody waits any more."""
        ...


# the answers of shards, by a name of the query
Answers = Mapping[bytes, Sequence[tuple[Shard, object]]]
_NO_ANSWERS: Final[Answers] = {}


class Asker(Protocol):
    """Answers queries about a distributed snapshot."""

    def ask(self, query: SnapshotQuery[A], whole: DistributedSnapshot, limit: Limit | None) -> A:
        """The answer of all segments; raises if there is none for some of them."""
        ...


class DistributedSnapshot(Snapshot):
    """A snapshot whose queries others answer; tables of files and chunks are read here.

    Without some of its segments, which keep their numbers, it answers as if they were not there.
    """

    is_distributed = True

    def __init__(
        self,
        whole: Snapshot,
        asker: Asker,
        without: frozenset[str] = frozenset(),
        answered: Answers = _NO_ANSWERS,
    ) -> None:
        """Shard the open segments of a snapshot; `answered` need not be asked again."""
        readers = {item.entry.name: item.reader for item in whole.segments}
        super().__init__(whole.manifest, readers)
        self._whole = whole
        self._asker = asker
        self.without = without
        self.answered = answered
        self._waiting = threading.local()

    def ask(self, query: SnapshotQuery[A]) -> A:
        """The answer of the others."""
        limit: Limit | None = getattr(self._waiting, "limit", None)
        return self._asker.ask(query, self, limit)

    def leave_out(
        self, names: Collection[str], answered: Answers = _NO_ANSWERS
    ) -> DistributedSnapshot:
        """The same without these segments, too; `answered` are answers of others."""
        without = self.without | frozenset(names)
        return DistributedSnapshot(self._whole, self._asker, without, {**self.answered, **answered})

    @contextmanager
    def limited(self, limit: Limit) -> Iterator[None]:
        """Limit the requests of this thread until the end of the block."""
        before = getattr(self._waiting, "limit", None)
        self._waiting.limit = limit
        try:
            yield
        finally:
            self._waiting.limit = before


def open_shard(
    store: Store,
    manifest: Manifest,
    statistics: Statistics,
    known: Mapping[str, SegmentReader],
) -> ShardSnapshot:
    """Open a shard from a store; segments that are `known` are open already."""
    readers = {
        entry.name: known.get(entry.name) or open_checked(store, entry, manifest.schema)
        for entry in manifest.segments
    }
    return ShardSnapshot(manifest, readers, statistics)


def open_checked(store: Store, entry: SegmentEntry, schema: Schema) -> SegmentReader:
    """Open a segment, once all of its bytes have given its name."""
    handle = store.open(entry.name)
    try:
        check_bytes(handle, entry)
    except BaseException:
        handle.close()
        raise
    return open_segment(handle, entry, schema)
