"""One term over all segments of a snapshot, as arrays over the snapshot's chunk numbers.

Whatever lies in several segments is read from each and decoded together, so that what a query
costs depends on its postings and hardly on how many segments they lie in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from index_format import postings
from index_format.bits import I64, U8, U32, exclusive_sum
from index_format.layout import BLOCK
from index_format.posting_lists import Meta
from index_format.postings import FREQUENCY_CEILING
from index_format.snapshot import SegmentPostings
from index_format.wire import MalformedError

_NONE: Final[I64] = np.zeros(0, dtype=np.int64)


class TermView:
    """The blocks and tails of a term; dead chunks are still in."""

    def __init__(self, lists: Sequence[SegmentPostings]) -> None:
        """Line up the blocks of all segments; nothing is decoded yet."""
        self._lists = lists
        self._tails: tuple[I64, U32] | None = None
        self._bases = np.array([item.segment.base for item in lists], dtype=np.int64)
        metas = [item.postings.meta for item in lists]
        self.block_count = sum(map(len, metas))
        self._meta: Meta = metas[0] if len(metas) == 1 else np.concatenate(metas)
        self.fitting: U8 = self._meta["fitting"]
        self.shortest: U8 = self._meta["shortest"]
        if not self.block_count:
            self.last = self.most = _NONE
            return
        self._limits = np.array([item.segment.entry.chunks for item in lists], dtype=np.int64)
        self._edges = exclusive_sum(np.array([len(meta) for meta in metas], dtype=np.int64))
        self._part = np.repeat(np.arange(len(lists)), np.diff(self._edges))
        self._local_last = self._meta["last"].astype(np.int64)
        self.last = self._local_last + self._bases[self._part]
        self.most = self._highest()

    def _highest(self) -> I64:
        """The highest frequency in each block, or more."""
        most: I64 = self._meta["most"].astype(np.int64)
        for number in (most == FREQUENCY_CEILING).nonzero()[0].tolist():
            most[number] = self._lists[int(self._part[number])].postings.entry.occurrences
        return most

    def tails(self) -> tuple[I64, U32]:
        """Chunks and frequencies behind the last full block of each segment."""
        if self._tails is None:
            self._tails = self._decode_tails()
        return self._tails

    def blocks(self, chosen: I64 | None = None) -> tuple[I64, U32]:
        """Chunks and frequencies, (n, 128) each, of the chosen blocks (ascending) or of all."""
        which = np.arange(self.block_count) if chosen is None else chosen
        if not len(which):
            return np.zeros((0, BLOCK), dtype=np.int64), np.zeros((0, BLOCK), dtype=np.uint32)
        part = self._part[which]
        before = np.where(which > self._edges[part], self._local_last[which - 1], -1)
        rows, at = self._rows(which)
        try:
            local, frequencies = postings.decode_blocks(rows, at, self._meta[which], before)
        except MalformedError as error:
            raise self._lists[0].postings.lists.malformed(error) from error
        if (local.max(axis=1) >= self._limits[part]).any():
            raise self._lists[0].postings.lists.malformed("a chunk beyond the last")
        return local + self._bases[part][:, None], frequencies

    def all(self) -> tuple[I64, U32]:
        """All chunks and frequencies in order."""
        tail_chunks, tail_frequencies = self.tails()
        if not self.block_count:
            return tail_chunks, tail_frequencies
        chunks, frequencies = self.blocks()
        if not len(tail_chunks):
            return chunks.ravel(), frequencies.ravel()
        cuts = np.searchsorted(tail_chunks, self._bases[1:])
        tails = zip(np.split(tail_chunks, cuts), np.split(tail_frequencies, cuts), strict=True)
        chunk_parts: list[I64] = []
        frequency_parts: list[U32] = []
        for (begin, end), tail in zip(pairwise(self._edges.tolist()), tails, strict=True):
            chunk_parts += [chunks[begin:end].ravel(), tail[0]]
            frequency_parts += [frequencies[begin:end].ravel(), tail[1]]
        return np.concatenate(chunk_parts), np.concatenate(frequency_parts)

    def find(self, wanted: I64) -> tuple[I64, U32]:
        """Which of the (ascending) chunks hold the term, and how often."""
        in_tails = matches(self.tails()[0], wanted)
        if not self.block_count:
            return in_tails[0], self.tails()[1][in_tails[1]]
        block = np.searchsorted(self.last, wanted)
        inside = block[: int(np.searchsorted(block, self.block_count))]
        first = np.ones(len(inside), dtype=bool)
        first[1:] = inside[1:] != inside[:-1]
        chunks, frequencies = self.blocks(inside[first])
        in_blocks = matches(chunks.ravel(), wanted)
        hits = np.concatenate([in_blocks[0], in_tails[0]])
        counts = np.concatenate([frequencies.ravel()[in_blocks[1]], self.tails()[1][in_tails[1]]])
        return hits, counts

    def _rows(self, which: I64) -> tuple[U8, I64]:
        edges = np.searchsorted(which, self._edges).tolist()
        parts: list[U8] = []
        starts: list[I64] = []
        base = 0
        for number, item in enumerate(self._lists):
            mine = which[edges[number] : edges[number + 1]]
            if len(mine):
                rows, at = item.postings.lists.rows(self._meta[mine])
                parts.append(rows)
                starts.append(at + base)
                base += len(rows)
        if len(parts) == 1:
            return parts[0], starts[0]
        return np.concatenate(parts), np.concatenate(starts)

    def _decode_tails(self) -> tuple[I64, U32]:
        held = [item for item in self._lists if item.postings.entry.chunks % BLOCK]
        if not held:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        if len(held) == 1:
            only = held[0]
            local = only.postings.tail_chunks.astype(np.int64)
            return local + only.segment.base, only.postings.tail_frequencies
        lists = held[0].postings.lists
        data = b"".join(item.postings.lists.tail_bytes(item.postings.entry) for item in held)
        counts = np.array([item.postings.entry.chunks % BLOCK for item in held], dtype=np.int64)
        lengths = np.array([item.postings.entry.tail[1] for item in held], dtype=np.int64)
        try:
            gaps, frequencies = postings.decode_tails(data, lengths, counts)
        except MalformedError as error:
            raise lists.malformed(error) from error
        last = np.array([item.postings.last_block_end for item in held], dtype=np.int64)
        local = postings.chunks_of_tails(gaps, counts, last)
        limits = np.array([item.segment.entry.chunks for item in held], dtype=np.int64)
        if (local >= np.repeat(limits, counts)).any():
            raise lists.malformed("a chunk beyond the last")
        bases = np.array([item.segment.base for item in held], dtype=np.int64)
        return local + np.repeat(bases, counts), frequencies.astype(np.uint32)


def matches(stored: I64, wanted: I64) -> tuple[I64, I64]:
    """Where `wanted` numbers are in `stored` ones, both ascending: index in each."""
    if not len(stored):
        return _NONE, _NONE
    at = np.searchsorted(stored, wanted)
    at[at == len(stored)] = 0
    hit = (stored[at] == wanted).nonzero()[0]
    return hit, at[hit]
