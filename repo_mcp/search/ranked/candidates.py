"""Retrieves candidate chunks, in time that hardly grows with the frequency of the terms.

Chunks are scored by the rarest terms only, and by further ones where conditions leave too few. A
single frequent term is left to the block-max search, which is exact.

What is read of postings is asked of the snapshot: the best chunks of all segments are the best of
those that are best in a shard of them, by descending score, then by path and place in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import merge
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format import (
    SCORE_DIGITS,
    ChunkFilter,
    Snapshot,
    TermKey,
    TermScores,
    best_chunks,
    best_sums,
    count_in_chunks,
    open_in_shard,
)
from index_format.records import Record, replace
from index_format.tuples import NamedTuple
from repo_mcp.search.ranked.term_lookup import F64, I64

if TYPE_CHECKING:  # few indexes are distributed
    import numpy.typing as npt

    from index_format import Shard

Mask: TypeAlias = "npt.NDArray[np.bool_]"

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
        found = _find(snapshot, tuple(terms), limit, allowed, chosen)
        self.chunks = found.chunks
        # by term, its frequency in each of the chunks
        self._known = {id(term): column for term, column in zip(terms, found.columns, strict=True)}

    def frequencies(self, term: TermScores) -> F64:
        """The frequency of a term in each of the chunks."""
        return self._known[id(term)]


def _find(
    snapshot: Snapshot,
    terms: tuple[TermScores, ...],
    limit: int,
    allowed: Mask | None,
    chosen: I64 | None,
) -> CandidateColumns:
    if chosen is not None:
        return snapshot.ask(BestChunks(terms, (), len(chosen), chosen=chosen))
    ordered = sorted(range(len(terms)), key=lambda at: terms[at].count)
    count = _anchor_count([terms[at] for at in ordered])
    if count == 1 and terms[ordered[0]].count > _PLACES:
        found = snapshot.ask(BestChunks(terms, tuple(ordered[:1]), limit, allowed, by_bounds=True))
        if allowed is None or len(found.chunks) >= limit:
            return found
        count = 0
    if allowed is not None and count < len(terms):
        held = PermittedCounts(tuple(terms[at] for at in ordered), count, limit, allowed)
        counts = snapshot.ask(held)
        count = _enough(counts, count, limit)
    return snapshot.ask(BestChunks(terms, tuple(ordered[:count]), limit, allowed))


class CandidateColumns(NamedTuple):
    """Chunks, ascending, and by term how often each has it; in a shard, with their scores."""

    chunks: I64
    columns: Sequence[F64]
    scores: F64 | None = None


class BestChunks(Record):
    """The best chunks by the terms at `anchors`, in their order, or those `chosen`.

    `by_bounds`: of the one term, without reading the blocks that can't hold one of them.
    """

    terms: tuple[TermScores, ...] | tuple[TermKey, ...]
    anchors: tuple[int, ...]
    limit: int
    allowed: Mask | None = None
    chosen: I64 | None = None
    by_bounds: bool = False

    def for_shard(self, shard: Shard) -> BestChunks:
        """The same query for the chunks of a shard."""
        return replace(
            self,
            terms=_keys(self.terms),
            allowed=None if self.allowed is None else shard.cut(self.allowed),
            chosen=None if self.chosen is None else shard.inward(self.chosen),
        )

    def answer(self, snapshot: Snapshot) -> CandidateColumns:
        """The best chunks; of equal ones the first by path."""
        if self.chosen is None and not self.anchors:
            return CandidateColumns(_NO_CHUNKS, [_NO_SCORES] * len(self.terms))
        terms = _open(snapshot, self.terms)
        known: dict[int, F64] = {}
        if self.chosen is not None:
            chunks = self.chosen
        elif self.by_bounds:
            chunks = self._best_by_bounds(snapshot, terms[self.anchors[0]])
        else:
            chunks, known = self._best_by_sums(snapshot, terms)
        columns = _columns(terms, chunks, known)
        if not snapshot.is_shard or self.chosen is not None:
            return CandidateColumns(chunks, columns)
        return CandidateColumns(chunks, columns, self._scores(terms, chunks, columns))

    def _best_by_bounds(self, snapshot: Snapshot, term: TermScores | None) -> I64:
        if term is None:
            return _NO_CHUNKS
        hits = best_chunks(snapshot, [term], self.limit, allowed=self.allowed)
        return np.sort(np.array([hit.chunk for hit in hits], dtype=np.int64))

    def _best_by_sums(
        self, snapshot: Snapshot, terms: Sequence[TermScores | None]
    ) -> tuple[I64, dict[int, F64]]:
        """The chunks, and the columns that are known with them; ties are broken by path."""
        there = [at for at in self.anchors if terms[at] is not None]
        anchors = [term for at in there if (term := terms[at]) is not None]
        if not anchors:
            return _NO_CHUNKS, {}
        is_ordered = len(snapshot.segments) == 1
        permitted = ChunkFilter(snapshot, self.allowed)
        found = best_sums(anchors, self.limit, permitted, is_ordered=is_ordered)
        if found.frequencies is not None:
            return found.chunks, dict(zip(there, found.frequencies, strict=True))
        ties = _first_by_path(snapshot, found.ties, self.limit - len(found.chunks))
        return np.sort(np.concatenate([found.chunks, ties])), {}

    def _scores(
        self, terms: Sequence[TermScores | None], chunks: I64, columns: Sequence[F64]
    ) -> F64:
        """The scores that chunks were chosen by, summed in the same order."""
        total = np.zeros(len(chunks))
        for at in self.anchors:
            term, column = terms[at], columns[at]
            if term is not None:
                there = column.nonzero()[0]
                counts = column[there].astype(np.uint32)
                total[there] += term.scores_of(chunks[there], counts)
        return total if self.by_bounds else np.round(total, SCORE_DIGITS)

    def merge(
        self, whole: Snapshot, parts: Sequence[tuple[Shard, CandidateColumns]]
    ) -> CandidateColumns:
        """The best of the best chunks of all shards."""
        chunks = np.concatenate(
            [_NO_CHUNKS, *(shard.outward(part.chunks) for shard, part in parts)]
        )
        kept = np.arange(len(chunks))
        if self.chosen is None and len(chunks) > self.limit:
            scores = np.concatenate([part.scores for _, part in parts if part.scores is not None])
            last = np.partition(scores, len(scores) - self.limit)[len(scores) - self.limit]
            above, ties = (scores > last).nonzero()[0], (scores == last).nonzero()[0]
            room = self.limit - len(above)
            first = sorted(ties.tolist(), key=lambda at: whole.sort_key(int(chunks[at])))[:room]
            kept = np.concatenate([above, np.array(first, dtype=np.int64)])
        kept = kept[np.argsort(chunks[kept], kind="stable")]
        columns = [
            np.concatenate([_NO_SCORES, *(part.columns[at] for _, part in parts)])[kept]
            for at in range(len(self.terms))
        ]
        return CandidateColumns(chunks[kept], columns)


class PermittedCounts(Record):
    """Counts of permitted chunks by term, as far as it matters how many terms are enough."""

    terms: tuple[TermScores, ...] | tuple[TermKey, ...]
    least: int
    limit: int
    allowed: Mask

    def for_shard(self, shard: Shard) -> PermittedCounts:
        """The same query for the chunks of a shard."""
        return replace(self, terms=_keys(self.terms), allowed=shard.cut(self.allowed))

    def answer(self, snapshot: Snapshot) -> list[int]:
        """The counts of the first terms, until these segments alone have enough."""
        permitted = ChunkFilter(snapshot, self.allowed)
        counts: list[int] = []
        for term in _open(snapshot, self.terms):
            if len(counts) >= self.least and sum(counts) >= self.limit:
                break
            counts.append(0 if term is None else permitted.count(term.postings()[0]))
        return counts

    def merge(self, _whole: Snapshot, parts: Sequence[tuple[Shard, list[int]]]) -> list[int]:
        """The sums, to the first that one shard has no more of: there they are enough."""
        return list(map(sum, zip(*(counts for _, counts in parts), strict=False)))


_NO_CHUNKS: Final = np.zeros(0, dtype=np.int64)
_NO_SCORES: Final = np.zeros(0)


def _keys(terms: Sequence[TermScores | TermKey]) -> tuple[TermKey, ...]:
    return tuple(term.key if isinstance(term, TermScores) else term for term in terms)


def _open(snapshot: Snapshot, terms: Sequence[TermScores | TermKey]) -> Sequence[TermScores | None]:
    return [
        term if isinstance(term, TermScores) else open_in_shard(snapshot, term) for term in terms
    ]


def _columns(
    terms: Sequence[TermScores | None], chunks: I64, known: Mapping[int, F64]
) -> list[F64]:
    """The number of each term's occurrences in the chunks; some columns are known."""
    sought = [(at, term) for at, term in enumerate(terms) if term is not None and at not in known]
    found = count_in_chunks([term for _, term in sought], chunks)
    columns = {**known, **{at: column for (at, _), column in zip(sought, found, strict=True)}}
    return [columns[at] if at in columns else np.zeros(len(chunks)) for at in range(len(terms))]


def _enough(counts: Sequence[int], least: int, limit: int) -> int:
    """The number of terms that have `limit` permitted chunks; at least so many."""
    found = 0
    for number, count in enumerate(counts):
        if number >= least and found >= limit:
            return number
        found += count
    return len(counts)


def _anchor_count(ordered: Sequence[TermScores]) -> int:
    """The number of terms, the rarest first, that are few enough together; at least one."""
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

    Within a segment chunks are in path order, so that only the next of each needs comparing.
    """
    bases = [item.base for item in snapshot.segments]
    cuts = np.searchsorted(ties, bases[1:]).tolist()
    parts = [ties[begin:end] for begin, end in pairwise([0, *cuts, len(ties)])]
    held = [part[:room].tolist() for part in parts if len(part)]
    ordered = held[0] if len(held) == 1 else merge(*held, key=snapshot.sort_key)
    return np.array([*islice(ordered, room)], dtype=np.int64)
