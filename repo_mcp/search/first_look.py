"""Finds the chunks worth a second look, in time that hardly grows with how common the words are.

The rarest words are looked up everywhere, the others only where those promise most. A single word
is left to the search by block bounds, which leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Snapshot, TermScores, best_chunks
from index_format.term_scores import Permitted
from repo_mcp.search.evidence import F64, I64

Mask = npt.NDArray[np.bool_]

# places that are looked at one and all: that is a few hundred microseconds of work
_PLACES: Final = 40_000
# chunks that common words are looked up in
_PROMISING: Final = 300
# sums of the same numbers differ in the last digits: what is equal to here is equal
_DIGITS: Final = 9


def first_look(
    snapshot: Snapshot, terms: Sequence[TermScores], limit: int, allowed: Mask | None
) -> dict[int, float]:
    """About the best chunks by the sum of their terms' scores, with the sum."""
    anchors, others = _split(terms)
    permitted = Permitted(snapshot, allowed)
    if len(anchors) == 1 and anchors[0].count > _PLACES:
        hits = best_chunks(snapshot, anchors, max(limit, _PROMISING), allowed=allowed)
        found = sorted((hit.chunk, hit.score) for hit in hits)
        chunks = np.array([chunk for chunk, _ in found], dtype=np.int64)
        scores = np.array([score for _, score in found])
    else:
        chunks, scores = _summed([permitted.only(*term.everything()) for term in anchors])
        if others:
            chunks, scores = _best(snapshot, chunks, scores, max(limit, _PROMISING))
    for term in others:
        scores = scores + term.lookup(chunks)[0]
    chunks, scores = _best(snapshot, chunks, scores, limit)
    return dict(zip(chunks.tolist(), scores.tolist(), strict=True))


def _split(terms: Sequence[TermScores]) -> tuple[list[TermScores], list[TermScores]]:
    """The rarest terms, at least one, and the rest."""
    ordered = sorted(terms, key=lambda term: term.count)
    places = 0
    for number, term in enumerate(ordered):
        places += term.count
        if number and places > _PLACES:
            return ordered[:number], ordered[number:]
    return ordered, []


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
    first = np.ones(len(chunks), dtype=bool)
    first[1:] = chunks[1:] != chunks[:-1]
    begins = first.nonzero()[0]
    return chunks[begins], np.add.reduceat(scores, begins) if len(begins) else scores


def _best(snapshot: Snapshot, chunks: I64, scores: F64, limit: int) -> tuple[I64, F64]:
    """The best of them in order of chunks; of equal last ones those whose path comes first."""
    scores = np.round(scores, _DIGITS)
    if len(chunks) <= limit:
        return chunks, scores
    last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    above, ties = (scores > last).nonzero()[0], (scores == last).nonzero()[0]
    room = limit - len(above)
    if len(ties) > room:
        ties = _first_by_path(snapshot, chunks, ties, room)
    kept = np.sort(np.concatenate([above, ties]))
    return chunks[kept], scores[kept]


def _first_by_path(snapshot: Snapshot, chunks: I64, ties: I64, room: int) -> I64:
    """Within a segment chunks lie in path order, so that few of each need comparing."""
    bases = [item.base for item in snapshot.segments]
    segments = np.searchsorted(bases, chunks[ties], side="right")
    few = np.concatenate([ties[segments == number][:room] for number in np.unique(segments)])
    if len(np.unique(segments)) == 1:
        return few
    ordered = sorted(few.tolist(), key=lambda at: snapshot.sort_key(int(chunks[at])))
    return np.array(ordered[:room], dtype=np.int64)
