"""Sums the scores of stored postings: compiled, or with numpy, with equal results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32, is_new
from index_format.codec.chunks import CODE_LENGTHS
from index_format.errors import CorruptIndexError
from index_format.native import NATIVE, Native
from index_format.query.term_scores import F64, ChunkFilter, TermScores
from index_format.query.term_view import locate_chunks
from index_format.tuples import NamedTuple

# digits to which sums are compared
SCORE_DIGITS: Final = 9
# the lengths that codes stand for, as compiled code takes them
LENGTHS_OF_CODES: Final = CODE_LENGTHS.astype(np.float64)


class BestSums(NamedTuple):
    """Chunks with the best sums, ascending, and those that tie with the last of them.

    If ties are left to the caller, `frequencies` is None; otherwise it says how often the chunks
    have each term.
    """

    chunks: I64
    ties: I64
    frequencies: list[F64] | None


def best_sums(
    terms: Sequence[TermScores],
    limit: int,
    permitted: ChunkFilter,
    *,
    is_ordered: bool,
    native: Native | None = NATIVE,
) -> BestSums:
    """The chunks whose scores, summed in the order of the terms, are among the `limit` best.

    Sums are compared when rounded to `SCORE_DIGITS`. Of those that tie at the end the first are
    taken with `is_ordered`; otherwise, if there is no room for all, they are the caller's choice.
    """
    if native is not None:
        found = _by_compiled(native, terms, limit, permitted, is_ordered=is_ordered)
        if found is not None:
            return found
    return _by_numpy(terms, limit, permitted, is_ordered=is_ordered)


def _by_compiled(
    native: Native,
    terms: Sequence[TermScores],
    limit: int,
    permitted: ChunkFilter,
    *,
    is_ordered: bool,
) -> BestSums | None:
    """None for another model than BM25F, and for damage, which decoding by numpy names."""
    figures = [term.figures for term in terms]
    try:
        postings = tuple(
            [
                (term.stored(), term.length_codes, *known)
                for term, known in zip(terms, figures, strict=True)
                if known is not None
            ]
        )
        if len(postings) < len(terms):
            return None
        chunks, ties, counts = native.best_postings(
            postings, LENGTHS_OF_CODES, permitted.mask, permitted.span, limit, is_ordered
        )
    except (ValueError, CorruptIndexError):
        return None
    columns = counts if counts is None else [np.frombuffer(each, np.float64) for each in counts]
    return BestSums(np.frombuffer(chunks, np.int64), np.frombuffer(ties, np.int64), columns)


def _by_numpy(
    terms: Sequence[TermScores], limit: int, permitted: ChunkFilter, *, is_ordered: bool
) -> BestSums:
    decoded = [term.postings() for term in terms]
    chunks, ties = _best(
        [
            permitted.only(held, term.scores_of(held, frequencies))
            for term, (held, frequencies) in zip(terms, decoded, strict=True)
        ],
        limit,
    )
    room = limit - len(chunks)
    if is_ordered:
        ties = ties[:room]
    if len(ties) > room:
        return BestSums(chunks, ties, None)
    chunks = np.sort(np.concatenate([chunks, ties]))
    return BestSums(chunks, ties[:0], [_frequencies_in(*held, chunks) for held in decoded])


def _best(parts: Sequence[tuple[I64, F64]], limit: int) -> tuple[I64, I64]:
    """Chunks above the rounded sum of rank `limit`, and those that have just it."""
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


def count_in_chunks(
    terms: Sequence[TermScores], chunks: I64, native: Native | None = NATIVE
) -> list[F64]:
    """The number of each term's occurrences in each of the ascending chunks, as floats."""
    if native is not None and terms:
        try:
            wanted = np.ascontiguousarray(chunks, dtype=np.int64)
            columns = native.count_in_chunks(tuple([term.sparse() for term in terms]), wanted)
        except (ValueError, CorruptIndexError):  # the model names the damage
            pass
        else:
            return [np.frombuffer(column, np.float64) for column in columns]
    return [term.frequencies(chunks).astype(np.float64) for term in terms]


def _frequencies_in(chunks: I64, frequencies: U32, wanted: I64) -> F64:
    """The number of a term's occurrences in each of the wanted chunks, as floats."""
    at, places = locate_chunks(chunks, wanted)
    counts = np.zeros(len(wanted))
    counts[at] = frequencies[places]
    return counts
