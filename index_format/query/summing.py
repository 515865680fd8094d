"""Sums the scores of decoded postings: compiled, or with numpy, with equal results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32, is_new
from index_format.codec.chunks import CODE_LENGTHS
from index_format.native import NATIVE, Native
from index_format.query.term_scores import F64, ChunkFilter, TermScores
from index_format.query.term_view import locate_chunks
from index_format.tuples import NamedTuple

# digits to which sums are compared
SCORE_DIGITS: Final = 9
_LENGTHS: Final = CODE_LENGTHS.astype(np.float64)


class DecodedTerm(NamedTuple):
    """A term and all of its postings: chunks, ascending, and frequencies."""

    scores: TermScores
    chunks: I64
    frequencies: U32


def best_sums(
    terms: Sequence[DecodedTerm],
    limit: int,
    permitted: ChunkFilter,
    native: Native | None = NATIVE,
) -> tuple[I64, I64]:
    """Chunks whose summed scores are above the one of rank `limit`, and those that have just it.

    Both are ascending. Where there are no more than `limit` chunks, all of them and none. Sums are
    taken in the order of the terms, and compared when rounded to `SCORE_DIGITS`.
    """
    figures = [item.scores.figures for item in terms]
    if native is None or not terms or None in figures:
        return _by_numpy(terms, limit, permitted)
    postings = tuple(
        (item.chunks, item.frequencies, item.scores.length_codes, *known)
        for item, known in zip(terms, figures, strict=True)
        if known is not None
    )
    above, ties = native.best_sums(postings, _LENGTHS, permitted.mask, permitted.span, limit)
    return np.frombuffer(above, dtype=np.int64), np.frombuffer(ties, dtype=np.int64)


def _by_numpy(terms: Sequence[DecodedTerm], limit: int, permitted: ChunkFilter) -> tuple[I64, I64]:
    parts = [
        permitted.only(item.chunks, item.scores.scores_of(item.chunks, item.frequencies))
        for item in terms
    ]
    none = np.zeros(0, dtype=np.int64)
    chunks = np.concatenate([none, *(part[0] for part in parts)])
    scores = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
    order = np.argsort(chunks, kind="stable")
    new = is_new(chunks[order])
    # one after the other, as `reduceat` does not
    sums = np.bincount(np.cumsum(new) - 1, weights=scores[order]).astype(np.float64)
    chunks = chunks[order][new]
    if len(chunks) <= limit:
        return chunks, none
    sums = np.round(sums, SCORE_DIGITS)
    last = np.partition(sums, len(sums) - limit)[len(sums) - limit]
    return chunks[sums > last], chunks[sums == last]


def frequencies_in(
    chunks: I64, frequencies: U32, wanted: I64, native: Native | None = NATIVE
) -> F64:
    """How often each of the wanted chunks has a term, from all of its postings, as floats."""
    if native is not None:
        return np.frombuffer(native.find_counts(chunks, frequencies, wanted), dtype=np.float64)
    at, places = locate_chunks(chunks, wanted)
    counts = np.zeros(len(wanted))
    counts[at] = frequencies[places]
    return counts
