"""One term's postings over all segments of a snapshot, as arrays of the snapshot's chunk numbers.

Blocks of several segments are read from each and decoded together, so that a query costs what its
postings cost, hardly more with many segments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

import numpy as np

from index_format.codec import decoding, postings
from index_format.codec.bits import I64, U8, U32, is_new, split_at
from index_format.codec.postings import FREQUENCY_CEILING, Meta
from index_format.codec.wire import MalformedError
from index_format.errors import CorruptIndexError
from index_format.generation.snapshot import SegmentPostings, Shard, Snapshot
from index_format.layout import BLOCK
from index_format.records import Record

_NONE: Final[I64] = np.zeros(0, dtype=np.int64)
_PLAIN: Final = np.dtype((np.void, postings.BLOCK_META.itemsize))
_NO_COUNTS: Final[U32] = np.zeros(0, dtype=np.uint32)


class TermView:
    """The blocks and tails of a term, dead chunks included; decoded on demand."""

    def __init__(self, lists: Sequence[SegmentPostings]) -> None:
        """Nothing is decoded yet."""
        self.lists = lists

    @cached_property
    def _bases(self) -> list[int]:
        return [item.segment.base for item in self.lists]

    @cached_property
    def _edges(self) -> list[int]:
        """The first block of each segment among all, and the end."""
        return list(accumulate((len(item.postings.meta) for item in self.lists), initial=0))

    @property
    def block_count(self) -> int:
        """The number of blocks of all segments."""
        return self._edges[-1]

    @cached_property
    def _meta(self) -> Meta:
        """That of all segments."""
        metas = [item.postings.meta for item in self.lists]
        return metas[0] if len(metas) == 1 else _join_metas(metas)

    @cached_property
    def last(self) -> I64:
        """The last chunk of each block."""
        last: I64 = self._local_last + self._base_of_block
        return last

    @cached_property
    def fitting(self) -> U8:
        """The fitting length codes of the blocks."""
        fitting: U8 = self._meta["fitting"]
        return fitting

    @cached_property
    def most(self) -> I64:
        """The highest frequency in each block, or more."""
        most: I64 = self._meta["most"].astype(np.int64)
        for number in (most == FREQUENCY_CEILING).nonzero()[0].tolist():
            part = bisect_right(self._edges, number) - 1
            most[number] = self.lists[part].postings.entry.occurrences
        return most

    @cached_property
    def _local_last(self) -> I64:
        return self._meta["last"].astype(np.int64)

    @cached_property
    def _base_of_block(self) -> I64:
        """The beginning of each block's segment; one number where all are in one segment."""
        bases = np.array(self._bases, dtype=np.int64)
        edges = np.array(self._edges, dtype=np.int64)
        return bases if len(bases) == 1 else np.repeat(bases, edges[1:] - edges[:-1])

    @cached_property
    def _before(self) -> I64:
        """The last chunk of the block before each, -1 where a segment begins."""
        before = np.empty(self.block_count, dtype=np.int64)
        before[1:] = self._local_last[:-1]
        before[[edge for edge in self._edges[:-1] if edge < self.block_count]] = -1
        return before

    @cached_property
    def tails(self) -> tuple[I64, U32]:
        """Chunks and frequencies behind the last full block of each segment."""
        held = [item for item in self.lists if item.postings.entry.chunks % BLOCK]
        chunks = [item.postings.tail_chunks + np.int64(item.segment.base) for item in held]
        frequencies = [item.postings.tail_frequencies for item in held]
        if len(held) == 1:
            return chunks[0], frequencies[0]
        return np.concatenate([_NONE, *chunks]), np.concatenate([_NO_COUNTS, *frequencies])

    def blocks(self, chosen: I64 | None = None) -> tuple[I64, U32]:
        """Chunks and frequencies, (n, 128) each, of the chosen blocks (ascending) or of all."""
        if not self.block_count or (chosen is not None and not len(chosen)):
            return np.zeros((0, BLOCK), dtype=np.int64), np.zeros((0, BLOCK), dtype=np.uint32)
        which = slice(None) if chosen is None else chosen
        rows, at = self._rows(chosen)
        try:
            local, frequencies = decoding.decode_blocks(
                rows, at, self._meta[which], self._before[which]
            )
        except MalformedError as error:
            raise self._blame(error) from error
        bases = self._base_of_block
        return local + (bases if len(bases) == 1 else bases[which][:, None]), frequencies

    def all(self) -> tuple[I64, U32]:
        """All chunks and frequencies in order."""
        found = self._all_compiled()
        if found is not None:
            return found
        tail_chunks, tail_frequencies = self.tails
        if not self.block_count:
            return tail_chunks, tail_frequencies
        chunks, frequencies = self.blocks()
        if not len(tail_chunks):
            return chunks.ravel(), frequencies.ravel()
        if len(self.lists) == 1:
            return (
                np.concatenate([chunks.ravel(), tail_chunks]),
                np.concatenate([frequencies.ravel(), tail_frequencies]),
            )
        cuts = np.searchsorted(tail_chunks, self._bases[1:]).tolist()
        tails = zip(split_at(tail_chunks, cuts), split_at(tail_frequencies, cuts), strict=True)
        chunk_parts: list[I64] = []
        frequency_parts: list[U32] = []
        for (begin, end), tail in zip(pairwise(self._edges), tails, strict=True):
            chunk_parts += [chunks[begin:end].ravel(), tail[0]]
            frequency_parts += [frequencies[begin:end].ravel(), tail[1]]
        return np.concatenate(chunk_parts), np.concatenate(frequency_parts)

    def _all_compiled(self) -> tuple[I64, U32] | None:
        """The same by compiled code; None where there is none, or something is damaged."""
        parts: list[tuple[I64, U32]] = []
        for item in self.lists:
            part = item.postings.all_compiled(item.segment.base)
            if part is None:
                return None
            parts.append(part)
        if len(parts) < 2:
            return parts[0] if parts else None
        return np.concatenate([part[0] for part in parts]), np.concatenate(
            [part[1] for part in parts]
        )

    def find(self, wanted: I64) -> tuple[I64, U32]:
        """The (ascending) chunks that hold the term, and its occurrences in each."""
        in_tails = locate_chunks(self.tails[0], wanted)
        if not self.block_count:
            return in_tails[0], self.tails[1][in_tails[1]]
        block = np.searchsorted(self.last, wanted)
        inside = block[: int(np.searchsorted(block, self.block_count))]
        chunks, frequencies = self.blocks(inside[is_new(inside)])
        in_blocks = locate_chunks(chunks.ravel(), wanted)
        hits = np.concatenate([in_blocks[0], in_tails[0]])
        counts = np.concatenate([frequencies.ravel()[in_blocks[1]], self.tails[1][in_tails[1]]])
        return hits, counts

    def _blame(self, problem: object) -> CorruptIndexError:
        """The error of the segment that is at fault, which shows when it is decoded by itself."""
        for item in self.lists:
            try:
                item.postings.blocks()
            except CorruptIndexError as error:
                return error
        return self.lists[0].postings.lists.malformed(problem)

    def _rows(self, chosen: I64 | None) -> tuple[U8, I64]:
        if len(self.lists) == 1:
            meta = self._meta if chosen is None else self._meta[chosen]
            return self.lists[0].postings.lists.rows(meta)
        edges = self._edges if chosen is None else np.searchsorted(chosen, self._edges).tolist()
        parts: list[U8] = []
        starts: list[I64] = []
        base = 0
        for item, begin, end in zip(self.lists, edges, edges[1:], strict=False):
            if begin == end:
                continue
            meta = self._meta[begin:end] if chosen is None else self._meta[chosen[begin:end]]
            rows, at = item.postings.lists.rows(meta)
            parts.append(rows)
            starts.append(at + base)
            base += len(rows)
        return np.concatenate(parts), np.concatenate(starts)


def decode_chunks(lists: Sequence[SegmentPostings]) -> I64:
    """The chunks of a term's postings, ascending; dead ones too."""
    return TermView(lists).all()[0] if lists else _NONE


def chunks_with_all(terms: Sequence[Sequence[SegmentPostings]]) -> I64:
    """The chunks that hold each of some terms, ascending; dead ones too."""
    views = sorted([TermView(lists) for lists in terms if lists], key=_count)
    if not views or len(views) < len(terms):
        return _NONE
    found = views[0].all()[0]
    for view in views[1:]:
        if len(found) * BLOCK < _count(view):  # few blocks need decoding
            found = found[np.sort(view.find(found)[0])]
        else:
            found = found[locate_chunks(view.all()[0], found)[0]]
    return found


class ChunksWithAll(Record):
    """The chunks that hold each of some terms, given by field and text; dead ones too."""

    terms: tuple[tuple[int, bytes], ...]

    def for_shard(self, _shard: Shard) -> ChunksWithAll:
        """The same."""
        return self

    def answer(self, snapshot: Snapshot) -> I64:
        """Ascending."""
        return chunks_with_all([snapshot.postings(*term) for term in self.terms])

    def merge(self, _whole: Snapshot, parts: Sequence[tuple[Shard, I64]]) -> I64:
        """The chunks of all shards, ascending."""
        found = [shard.outward(chunks.astype(np.int64)) for shard, chunks in parts]
        return np.sort(np.concatenate([_NONE, *found]))


def _count(view: TermView) -> int:
    return sum(item.postings.entry.chunks for item in view.lists)


def _join_metas(metas: Sequence[Meta]) -> Meta:
    """One after the other, without numpy's look at each field of their type."""
    whole = np.concatenate([meta.view(_PLAIN) for meta in metas])
    return whole.view(postings.BLOCK_META)


def locate_chunks(stored: I64, wanted: I64) -> tuple[I64, I64]:
    """The indexes of chunks in both `wanted` and `stored`, both ascending: one in each."""
    if not len(stored):
        return _NONE, _NONE
    at = np.searchsorted(stored, wanted)
    at[at == len(stored)] = 0
    hit = (stored[at] == wanted).nonzero()[0]
    return hit, at[hit]
