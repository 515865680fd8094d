"""A term's live postings over all segments in blocks of 128, as Whoosh's matchers need them.

The blocks are those of an index that was built from the live files alone, whatever the segments
are. Where they are also the blocks of one segment they are decoded as they are asked for; otherwise
a term is decoded as a whole, its dead postings are left out and the rest is cut anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32, exclusive_sum
from index_format.codec.chunks import CODE_LENGTHS
from index_format.codec.postings import FREQUENCY_CEILING
from index_format.generation.snapshot import SegmentPostings, Snapshot
from index_format.layout import BLOCK
from index_format.query.numbering import Numbering

# blocks that are decoded together when a term is read on and on
_MOST_PREFETCHED: Final = 64


class TermBlocks(ABC):
    """One term: bounds of each block, and its postings, decoded on demand."""

    def __init__(self, numbering: Numbering, field: int, count: int, occurrences: int) -> None:
        """Keep the totals; subclasses set the blocks' bounds."""
        self.count = count
        self.occurrences = occurrences
        self.last: list[int] = []
        self.most: list[float] = []
        self.shortest: list[int] = []
        self._codes = numbering.length_codes(field)

    @abstractmethod
    def block(self, number: int) -> tuple[I64 | U32, U32]:
        """Dense numbers and frequencies of a block."""

    @abstractmethod
    def positions(self, number: int, at: int) -> list[int]:
        """Positions of the posting at place `at` of a block."""

    def longest(self, number: int) -> int:
        """Length of the longest field in a block."""
        return int(CODE_LENGTHS[self._codes[self.block(number)[0]].max()])


class _Part:
    """A term in one segment; hands out the positions of single postings."""

    def __init__(self, found: SegmentPostings) -> None:
        self.postings = postings = found.postings
        # keeps the file open though the snapshot be gone
        self._segment = found.segment
        self._group: tuple[int, U32, list[int]] = (-1, postings.tail_chunks, [])

    def positions(self, at: int) -> list[int]:
        number, place = divmod(at, BLOCK)
        group = self._group
        if group[0] != number:
            group = self._group = self._load(number)
        _, positions, edges = group
        found: list[int] = positions[edges[place] : edges[place + 1]].tolist()
        return found

    def _load(self, number: int) -> tuple[int, U32, list[int]]:
        postings = self.postings
        if number == len(postings.meta):
            frequencies, positions = postings.tail_frequencies, postings.tail_positions()
        else:
            frequencies = postings.blocks(np.array([number]))[1][0]
            positions = postings.block_positions(number, frequencies)
        return number, positions, exclusive_sum(frequencies).tolist()


class StoredBlocks(TermBlocks):
    """The blocks of the one segment that holds the term."""

    def __init__(self, numbering: Numbering, field: int, found: SegmentPostings) -> None:
        """Take the metadata as it is stored; only a tail is decoded."""
        postings, self._base = found.postings, found.segment.base
        super().__init__(numbering, field, postings.entry.chunks, postings.entry.occurrences)
        self._part = _Part(found)
        self._full = len(postings.meta)
        self._tail = postings.tail_chunks + np.uint32(self._base), postings.tail_frequencies
        self._window: tuple[int, U32, U32] = (0, *postings.blocks(np.zeros(0, dtype=np.int64)))
        meta = postings.meta
        self.last = (meta["last"].astype(np.int64) + self._base).tolist()
        self.most = meta["most"].astype(np.float64).tolist()
        self.shortest = CODE_LENGTHS[meta["shortest"]].tolist()
        for number in (meta["most"] == FREQUENCY_CEILING).nonzero()[0].tolist():
            self.most[number] = float(self.block(number)[1].max())
        if len(postings.tail_chunks):
            chunks, frequencies = self._tail
            self.last.append(int(chunks[-1]))
            self.most.append(float(frequencies.max()))
            self.shortest.append(int(CODE_LENGTHS[self._codes[chunks].min()]))

    def block(self, number: int) -> tuple[I64 | U32, U32]:
        """Decode a block, and more ahead the longer there is no leap."""
        if number == self._full:
            return self._tail
        first, chunks, frequencies = self._window
        if not first <= number < first + len(chunks):
            ahead = 2 * len(chunks) if number == first + len(chunks) else 1
            end = min(number + max(min(ahead, _MOST_PREFETCHED), 1), self._full)
            chunks, frequencies = self._part.postings.blocks(np.arange(number, end))
            first, chunks = number, chunks + np.uint32(self._base)
            self._window = first, chunks, frequencies
        return chunks[number - first], frequencies[number - first]

    def positions(self, number: int, at: int) -> list[int]:
        """Positions of a posting."""
        return self._part.positions(number * BLOCK + at)


class MergedBlocks(TermBlocks):
    """Blocks rebuilt from the postings of several segments."""

    def __init__(self, numbering: Numbering, field: int, found: list[SegmentPostings]) -> None:
        """Decode, number, leave out the dead and sort."""
        self._parts = [_Part(item) for item in found]
        columns = [item.postings.all() for item in found]
        counts = np.array([len(chunks) for chunks, _ in columns])
        self._starts = exclusive_sum(counts)[:-1].tolist()
        chunks = [
            column[0].astype(np.int64) + item.segment.base
            for column, item in zip(columns, found, strict=True)
        ]
        numbers = numbering.numbers(np.concatenate(chunks))
        order = np.argsort(numbers, kind="stable")
        order = order[int((numbers < 0).sum()) :]
        self._order, self._numbers = order, numbers[order]
        self._frequencies = np.concatenate([column[1] for column in columns])[order]
        super().__init__(numbering, field, len(order), int(self._frequencies.sum(dtype=np.int64)))
        if len(order):
            self._cut()

    def _cut(self) -> None:
        firsts = np.arange(0, self.count, BLOCK)
        lasts = np.concatenate([firsts[1:], [self.count]]) - 1
        self.last = self._numbers[lasts].tolist()
        self.most = np.maximum.reduceat(self._frequencies, firsts).astype(np.float64).tolist()
        shortest = np.minimum.reduceat(self._codes[self._numbers], firsts)
        self.shortest = CODE_LENGTHS[shortest].tolist()

    def block(self, number: int) -> tuple[I64 | U32, U32]:
        """A slice of the decoded postings."""
        part = slice(number * BLOCK, (number + 1) * BLOCK)
        return self._numbers[part], self._frequencies[part]

    def positions(self, number: int, at: int) -> list[int]:
        """Positions of a posting, from the segment that holds it."""
        origin = int(self._order[number * BLOCK + at])
        part = bisect_right(self._starts, origin) - 1
        return self._parts[part].positions(origin - self._starts[part])


def open_blocks(
    snapshot: Snapshot, numbering: Numbering, field: int, term: bytes
) -> TermBlocks | None:
    """A term's live postings, None where there are none."""
    found = snapshot.postings(field, term)
    if not found:
        return None
    if len(found) == 1 and numbering.is_identity:
        return StoredBlocks(numbering, field, found[0])
    merged = MergedBlocks(numbering, field, found)
    return merged if merged.count else None
