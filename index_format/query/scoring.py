"""Finds the best chunks for weighted terms: Whoosh's BM25F over arrays, with block-max pruning.

Scores are those that Whoosh's searcher gives for the same terms; what is saved is the walk from
posting to posting. Terms are taken from the one that can add most to the one that can add least.
Once the k best so far outweigh all that is left, only chunks that are candidates already are looked
up, and only where block metadata says that they can still get among the best.
"""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np
from whoosh.scoring import BM25F

from index_format.codec.bits import I64, is_new
from index_format.errors import InvalidInputError
from index_format.generation.snapshot import Snapshot
from index_format.query.term_scores import (
    F64,
    SLACK,
    ChunkFilter,
    Mask,
    TermScores,
    WeightedTerm,
    open_scores,
    prefetch_counts,
    score_at_rank,
)
from index_format.query.term_view import locate_chunks
from index_format.records import Record

# up to so many postings are all scored: that is faster than deciding which to skip
_FEW: Final = 30_000
_PAYING_SHARE: Final = 0.25
# when one chunk in so many is scored the sums are taken in an array over all chunks
_DENSE: Final = 12
_LEAST: Final = float(np.finfo(np.float64).tiny)
# chunks that are scored first, to find a threshold
_SEEDS: Final = 64
_NO_HITS: Final = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)


class Hit(Record):
    """A chunk by its number in the snapshot, and its score."""

    chunk: int
    score: float


def top_chunks(
    snapshot: Snapshot,
    terms: Sequence[WeightedTerm],
    limit: int,
    *,
    require_all: bool = False,
    allowed: Mask | None = None,
    weighting: BM25F | None = None,
) -> list[Hit]:
    """The `limit` best chunks by the sum of their terms' scores, then by path and place.

    `allowed`, over all chunk numbers of the snapshot, restricts the hits and nothing else.
    """
    found = open_terms(snapshot, terms, weighting)
    held = [term for term in found if term is not None]
    if not held or (require_all and len(held) < len(found)):
        _check_limit(limit)
        return []
    return best_chunks(snapshot, held, limit, require_all=require_all, allowed=allowed)


def open_terms(
    snapshot: Snapshot, terms: Sequence[WeightedTerm], weighting: BM25F | None = None
) -> list[TermScores | None]:
    """The scores of each term, None for one that no live chunk holds."""
    model = weighting or BM25F()
    if snapshot.prefetches_terms:
        prefetch_counts(snapshot, [(term.field, term.term) for term in terms])
    return [open_scores(snapshot, term, model) for term in terms]


def best_chunks(
    snapshot: Snapshot,
    terms: Sequence[TermScores],
    limit: int,
    *,
    require_all: bool = False,
    allowed: Mask | None = None,
) -> list[Hit]:
    """As `top_chunks`, for terms that are open already."""
    _check_limit(limit)
    if not terms:
        return []
    permitted = ChunkFilter(snapshot, allowed)
    if require_all:
        chunks, scores = _conjunction(list(terms), permitted)
    else:
        chunks, scores = _disjunction(list(terms), permitted, limit)
    return _best(snapshot, chunks, scores, limit)


def _check_limit(limit: int) -> None:
    if limit < 1:
        msg = f"a limit is at least 1, not {limit}"
        raise InvalidInputError(msg)


def _disjunction(terms: list[TermScores], permitted: ChunkFilter, limit: int) -> tuple[I64, F64]:
    if sum(term.count for term in terms) > _FEW:
        terms = sorted(terms, key=lambda term: (-term.bound, term.count))
        if len(terms) == 1:
            return terms[0].best(0.0, 0.0, limit, permitted)
        threshold = _seed(terms, permitted, limit)
        if threshold is not None:
            return _prune(terms, permitted, limit, threshold)
    if sum(term.count for term in terms) * _DENSE > permitted.span:
        return _dense_sums(terms, permitted, limit)
    return _sums([permitted.only(*term.all_scores()) for term in terms])


def _prune(
    terms: list[TermScores], permitted: ChunkFilter, limit: int, threshold: float
) -> tuple[I64, F64]:
    """Score term by term, skipping chunks that can't reach the threshold, which rises meanwhile."""
    chunks, scores = _NO_HITS
    for at, term in enumerate(terms):
        later = sum(item.bound for item in terms[at + 1 :])
        if len(chunks):
            promising = scores + term.ceilings(chunks) + later >= threshold
            chunks, scores = chunks[promising], scores[promising]
            scores = scores + term.lookup(chunks)[0]
            threshold = max(threshold, score_at_rank(scores, limit) * (1 - SLACK))
        if term.bound + later >= threshold:
            fresh = term.best(threshold, later, limit, permitted)
            chunks, scores = _join(chunks, scores, *fresh)
            threshold = max(threshold, score_at_rank(scores, limit) * (1 - SLACK))
    return chunks, scores


def _seed(terms: list[TermScores], permitted: ChunkFilter, limit: int) -> float | None:
    """A score that at least `limit` chunks reach, found by looking at a few promising ones.

    None where leaving out what can't reach it would not pay.
    """
    first = next((term for term in terms if term.count >= limit), terms[-1])
    others = [term for term in terms if term is not first]
    chunks, scores = first.sample(permitted)
    ceilings = scores + sum(term.ceilings(chunks) for term in others)
    count = max(_SEEDS, 2 * limit)
    if len(chunks) > count:
        keep = np.sort(np.argpartition(-ceilings, count)[:count])
        chunks, scores = chunks[keep], scores[keep]
    for term in others:
        scores = scores + term.lookup(chunks)[0]
    threshold = score_at_rank(scores, limit) * (1 - SLACK)
    left = blocks = 0
    for at, term in enumerate(terms):
        later = sum(item.bound for item in terms[at + 1 :])
        left += term.blocks_above(threshold - later)
        blocks += term.blocks_above(0.0)
    return threshold if left <= blocks * _PAYING_SHARE else None


def _dense_sums(terms: list[TermScores], permitted: ChunkFilter, limit: int) -> tuple[I64, F64]:
    """The sum of scores of each of the `limit` best chunks, taken in an array over all chunks."""
    totals = np.zeros(permitted.span, dtype=np.float64)
    for term in terms:
        term.add_to(totals)
    permitted.clear(totals)
    best = (totals >= max(score_at_rank(totals, limit), _LEAST)).nonzero()[0]
    return best, totals[best]


def _sums(parts: list[tuple[I64, F64]]) -> tuple[I64, F64]:
    """The sum of scores of each chunk, in no order."""
    chunks, scores = parts[0]
    for more, more_scores in parts[1:]:
        at_more, at = locate_chunks(chunks, more)
        scores[at] += more_scores[at_more]
        new = np.ones(len(more), dtype=bool)
        new[at_more] = False
        chunks = np.concatenate([chunks, more[new]])
        scores = np.concatenate([scores, more_scores[new]])
        if len(parts) > 2:
            order = np.argsort(chunks, kind="stable")
            chunks, scores = chunks[order], scores[order]
    return chunks, scores


def _join(chunks: I64, scores: F64, fresh: I64, fresh_scores: F64) -> tuple[I64, F64]:
    """Candidates and fresh chunks in order; a candidate's score holds the fresh one already."""
    both = np.concatenate([chunks, fresh])
    order = np.argsort(both, kind="stable")
    both, totals = both[order], np.concatenate([scores, fresh_scores])[order]
    first = is_new(both)
    return both[first], totals[first]


def _conjunction(terms: list[TermScores], permitted: ChunkFilter) -> tuple[I64, F64]:
    terms = sorted(terms, key=lambda term: term.count)
    chunks, scores = permitted.only(*terms[0].all_scores())
    for term in terms[1:]:
        added, at = term.lookup(chunks)
        at.sort()
        chunks, scores = chunks[at], scores[at] + added[at]
    return chunks, scores


def _best(snapshot: Snapshot, chunks: I64, scores: F64, limit: int) -> list[Hit]:
    if len(scores) > limit:
        enough = (scores >= score_at_rank(scores, limit)).nonzero()[0]
        enough = enough[np.argsort(chunks[enough], kind="stable")]
        chunks, scores = chunks[enough], scores[enough]
    if len(chunks) > limit:
        chunks, scores = _without_late_ties(snapshot, chunks, scores, limit)
    hits = [Hit(*pair) for pair in zip(chunks.tolist(), scores.tolist(), strict=True)]
    hits.sort(key=lambda hit: -hit.score)
    ordered: list[Hit] = []
    for _, equal in groupby(hits, key=lambda hit: hit.score):
        ties = list(equal)
        if len(ties) > 1:
            ties.sort(key=lambda hit: snapshot.sort_key(hit.chunk))
        ordered += ties
    return ordered[:limit]


def _without_late_ties(snapshot: Snapshot, chunks: I64, scores: F64, limit: int) -> tuple[I64, F64]:
    """The first `limit` per segment of equal last scores: there chunks lie in path order."""
    last = scores.min()
    above = scores > last
    kept = [above.nonzero()[0]]
    ties = (~above).nonzero()[0]
    segments = np.searchsorted([item.base for item in snapshot.segments], chunks[ties], "right")
    there = range(1, len(snapshot.segments) + 1)
    kept.extend(ties[segments == number][:limit] for number in there)
    keep = np.concatenate(kept)
    return chunks[keep], scores[keep]
