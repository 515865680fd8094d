"""Finds the chunks worth a second look, in time that hardly grows with how common the words are.

The rarest words are looked up everywhere, the others only where those promise most. A single
common word is left to the search by block bounds, which leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import ChunkFilter, Snapshot, TermScores, best_chunks, locate_chunks
from repo_mcp.search.ranked.term_lookup import F64, I64

Mask = npt.NDArray[np.bool_]
Postings = tuple[I64, npt.NDArray[np.uint32]]

# places that are looked at one and all: that is a few hundred microseconds of work
_PLACES: Final = 25_000
# sums of the same numbers differ in the last digits: what is equal to here is equal
DIGITS: Final = 9


class FirstLook:
    """About the best chunks by the sum of their terms' scores, and how often each has each term."""

    def __init__(
        self, snapshot: Snapshot, terms: Sequence[TermScores], limit: int, allowed: Mask | None
    ) -> None:
        """Find at most so many chunks; `chunks` are in ascending order."""
        self._known: dict[int, Postings] = {}
        permitted = ChunkFilter(snapshot, allowed)
        anchors = _anchors(terms)
        if len(anchors) == 1 and anchors[0].count > _PLACES:
            hits = best_chunks(snapshot, anchors, limit, allowed=allowed)
            self.chunks = np.sort(np.array([hit.chunk for hit in hits], dtype=np.int64))
        else:
            parts = [self._decoded(term) for term in anchors]
            sums = _summed([permitted.only(*part) for part in parts])
            self.chunks = _best(snapshot, *sums, limit)

    def frequencies(self, term: TermScores) -> F64:
        """How often each of the chunks holds a term."""
        known = self._known.get(id(term))
        if known is None:
            return term.frequencies(self.chunks).astype(np.float64)
        at, places = locate_chunks(known[0], self.chunks)
        counts = np.zeros(len(self.chunks))
        counts[at] = known[1][places]
        return counts

    def _decoded(self, term: TermScores) -> tuple[I64, F64]:
        chunks, frequencies = self._known[id(term)] = term.postings()
        return chunks, term.scores_of(chunks, frequencies)


def _anchors(terms: Sequence[TermScores]) -> list[TermScores]:
    """The rarest terms, at least one."""
    ordered = sorted(terms, key=lambda term: term.count)
    places = 0
    for number, term in enumerate(ordered):
        places += term.count
        if number and places > _PLACES:
            return ordered[:number]
    return ordered


def _summed(parts: Sequence[tuple[I64, F64]]) -> tuple[I64, F64]:
    """Chunks in order, each once, and the sum of its scores."""
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    if len(parts) == 1:
        return parts[0]
    chunks = np.concatenate([part[0] for part in parts])
    scores = np.concatenate([part[1] for part in parts])
    order = np.argsort(chunks, kind="stable")
    chunks, scores = chunks[order], scores[order]
    begins = is_new(chunks).nonzero()[0]
    return chunks[begins], np.add.reduceat(scores, begins) if len(begins) else scores


def is_new(numbers: I64) -> Mask:
    """Of ascending numbers, which are not the same as the one before."""
    new = np.ones(len(numbers), dtype=np.bool_)
    new[1:] = numbers[1:] != numbers[:-1]
    return new


def _best(snapshot: Snapshot, chunks: I64, scores: F64, limit: int) -> I64:
    """The best of them in order of chunks; of equal last ones those whose path comes first."""
    if len(chunks) <= limit:
        return chunks
    scores = np.round(scores, DIGITS)
    last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    above, ties = (scores > last).nonzero()[0], (scores == last).nonzero()[0]
    room = limit - len(above)
    if len(ties) > room:
        ties = _first_by_path(snapshot, chunks, ties, room)
    best: I64 = chunks[np.sort(np.concatenate([above, ties]))]
    return best


def _first_by_path(snapshot: Snapshot, chunks: I64, ties: I64, room: int) -> I64:
    """Within a segment chunks lie in path order, so that few of each need comparing."""
    bases = [item.base for item in snapshot.segments]
    segments = np.searchsorted(bases, chunks[ties], side="right")
    there = range(int(segments[0]), int(segments[-1]) + 1)
    few = np.concatenate([ties[segments == number][:room] for number in there])
    if len(few) <= room:
        return few
    ordered = sorted(few.tolist(), key=lambda at: snapshot.sort_key(int(chunks[at])))
    return np.array(ordered[:room], dtype=np.int64)
