"""Lists the terms of a snapshot that live chunks hold, in byte order.

A segment's dictionary also names terms that only its dead chunks hold. Where a term has more chunks
than there are dead ones it is alive; the others' postings are looked at, a page at a time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from index_format.codec.bits import exclusive_sum
from index_format.codec.terms import TermPage
from index_format.generation.snapshot import LiveSegment, Snapshot

if TYPE_CHECKING:
    import numpy.typing as npt

Mask: TypeAlias = "npt.NDArray[np.bool_]"


class LiveTerms:
    """Walks the dictionaries of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Nothing is read yet."""
        self._segments = snapshot.segments
        self._alive: dict[tuple[int, int, int], Mask | None] = {}

    def list_from(self, field: int, start: bytes = b"") -> Iterator[bytes]:
        """Terms from `start` on."""
        parts = [self._of_segment(number, field, start) for number in range(len(self._segments))]
        if len(parts) == 1:
            yield from parts[0]
            return
        previous = None
        for term in heapq.merge(*parts):
            if term != previous:
                yield term
            previous = term

    def list_prefix(self, field: int, prefix: bytes) -> Iterator[bytes]:
        """Terms that begin with `prefix`."""
        for term in self.list_from(field, prefix):
            if not term.startswith(prefix):
                return
            yield term

    def _of_segment(self, number: int, field: int, start: bytes) -> Iterator[bytes]:
        segment = self._segments[number]
        for page, begin in segment.reader.field(field).terms.pages_from(start):
            key = number, field, page.starts[0]
            if segment.dead_files and key not in self._alive:
                self._alive[key] = _alive(segment, field, page)
            mask = self._alive.get(key)
            if mask is None:
                yield from page.terms[begin:]
            else:
                yield from (page.terms[at] for at in mask.nonzero()[0].tolist() if at >= begin)


def _alive(segment: LiveSegment, field: int, page: TermPage) -> Mask | None:
    """A mask of the terms of a page that live chunks hold; None for all."""
    dead = segment.dead_chunks
    if (page.chunks > len(dead)).all():
        return None
    batch = segment.reader.field(field).lists.batch(page)
    living = np.ones(segment.reader.chunk_count, dtype=bool)
    living[dead] = False
    alive = np.logical_or.reduceat(living[batch.chunks], exclusive_sum(batch.counts)[:-1])
    return None if alive.all() else alive
