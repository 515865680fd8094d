"""Retrieves candidate chunks, in time that hardly grows with the frequency of the terms.

Chunks are scored by the rarest terms only, and by further ones where conditions leave too few. A
single frequent term is left to the block-max search, which is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import (
    ChunkFilter,
    Snapshot,
    TermScores,
    best_chunks,
    best_sums,
)
from repo_mcp.search.ranked.term_lookup import F64, I64

Mask = npt.NDArray[np.bool_]

# postings that are scored completely: a few hundred microseconds of work
_PLACES: Final = 25_000


class CandidateChunks:
    """The approximately best chunks by the sum of term scores, with their term frequencies."""

    def __init__(
        self,
        snapshot: Snapshot,
        terms: Sequence[TermScores],
        limit: int,
        allowed: Mask | None,
        chosen: I64 | None = None,
    ) -> None:
        """Finds at most `limit` chunks; `chunks` are in ascending order.

        If they are `chosen`, ascending, postings are looked up and not decoded.
        """
        # by term, its frequency in each of the chunks, as far as it is known
        self._known: dict[int, F64] = {}
        if chosen is not None:
            self.chunks = chosen
            return
        permitted = ChunkFilter(snapshot, allowed)
        ordered = sorted(terms, key=_count)
        count = _anchor_count(ordered)
        if count == 1 and ordered[0].count > _PLACES:
            hits = best_chunks(snapshot, ordered[:1], limit, allowed=allowed)
            self.chunks = np.sort(np.array([hit.chunk for hit in hits], dtype=np.int64))
            count = 0
            if allowed is None or len(self.chunks) >= limit:
                return
        if allowed is not None:
            count = _enough(ordered, count, limit, permitted)
        self._take_best(snapshot, ordered[:count], limit, permitted)

    def _take_best(
        self,
        snapshot: Snapshot,
        terms: Sequence[TermScores],
        limit: int,
        permitted: ChunkFilter,
    ) -> None:
        """Finds the best chunks; ties at the end are broken by path."""
        is_ordered = len(snapshot.segments) == 1
        found = best_sums(terms, limit, permitted, is_ordered=is_ordered)
        self.chunks = found.chunks
        if found.frequencies is not None:
            pairs = zip(terms, found.frequencies, strict=True)
            self._known = {id(term): column for term, column in pairs}
        else:
            ties = _first_by_path(snapshot, found.ties, limit - len(found.chunks))
            self.chunks = np.sort(np.concatenate([found.chunks, ties]))

    def frequencies(self, term: TermScores) -> F64:
        """The frequency of a term in each of the chunks."""
        known = self._known.get(id(term))
        return term.frequencies(self.chunks).astype(np.float64) if known is None else known


def _count(term: TermScores) -> int:
    return term.count


def _enough(ordered: Sequence[TermScores], count: int, limit: int, permitted: ChunkFilter) -> int:
    """How many of the terms have `limit` permitted chunks; at least so many."""
    if count == len(ordered):
        return count
    found = 0
    for number, term in enumerate(ordered):
        if number >= count and found >= limit:
            return number
        found += permitted.count(term.postings()[0])
    return len(ordered)


def _anchor_count(ordered: Sequence[TermScores]) -> int:
    """How many of the terms, the rarest first, are few enough together; at least one."""
    places = 0
    for number, term in enumerate(ordered):
        places += term.count
        if number and places > _PLACES:
            return number
    return len(ordered)


def is_new(numbers: I64) -> Mask:
    """Mask of the ascending numbers that differ from the one before."""
    new = np.ones(len(numbers), dtype=np.bool_)
    new[1:] = numbers[1:] != numbers[:-1]
    return new


def _first_by_path(snapshot: Snapshot, ties: I64, room: int) -> I64:
    """The tied chunks that come first by path.

    Within a segment chunks are in path order, so that few of each need comparing.
    """
    bases = [item.base for item in snapshot.segments]
    segments = np.searchsorted(bases, ties, side="right")
    there = range(int(segments[0]), int(segments[-1]) + 1)
    few = np.concatenate([ties[segments == number][:room] for number in there])
    if len(few) <= room:
        return few
    ordered = sorted(few.tolist(), key=snapshot.sort_key)
    return np.array(ordered[:room], dtype=np.int64)
