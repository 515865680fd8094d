"""One term's scores and upper bounds, by Whoosh's BM25F scorer given arrays.

`ChunkFilter` says which chunks may be hits at all.
"""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from whoosh.scoring import BM25F, BM25FScorer

from index_format.codec.bits import I64, U8, U32, steps
from index_format.codec.chunks import CODE_LENGTHS
from index_format.codec.decoding import SparseTerm, StoredTerm
from index_format.errors import InvalidInputError
from index_format.generation.snapshot import Shard, Snapshot
from index_format.query.term_view import TermView, locate_chunks
from index_format.records import Record

if TYPE_CHECKING:
    import numpy.typing as npt

F64: TypeAlias = "npt.NDArray[np.float64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"

# sums of the same numbers in another order differ by less than this share
SLACK: Final = 1e-9
# for more scores than this they are looked up in a table of scores for frequencies below its rows
_TABLE_PAYS: Final = 16_384
_TABLE_ROWS: Final = 16
# blocks decoded and scored per batch, which fits the processor's cache
_BLOCKS_AT_ONCE: Final = 1024
# blocks that are decoded first, to find a threshold
_FIRST_BLOCKS: Final = 32
# terms of a snapshot that are cached with the postings read so far
_REMEMBERED: Final = 1024
# among more scores than these the best are guessed from a sample first
_SAMPLED: Final = 2048


class WeightedTerm(Record):
    """A term to score, and the factor of its score."""

    field: str
    term: bytes
    boost: float = 1.0


class FoundTerm(Record):
    """A term in the dictionaries: its field's number, its postings, its count of live chunks.

    A distributed snapshot gives no postings: its workers read them.
    """

    field: int
    view: TermView | None
    count: int


def find_term(snapshot: Snapshot, term: WeightedTerm) -> FoundTerm | None:
    """Look a term up; None where no live chunk holds it.

    The last terms are cached: users often search for the same words again.
    """
    number = snapshot.schema.number(term.field)
    if number is None or not term.boost > 0:
        known = [field.name for field in snapshot.schema.fields]
        msg = f"a term has one of the fields {known} and a boost above 0, not {term}"
        raise InvalidInputError(msg)
    cache = _FOUND.setdefault(snapshot, {})
    key = number, term.term
    if key in cache:
        return cache[key]
    if snapshot.is_distributed:
        (count,) = snapshot.ask(TermCounts((key,)))
        found = FoundTerm(number, None, count) if count else None
    else:
        lists = snapshot.postings(number, term.term)
        count, _ = snapshot.counts(lists)
        found = FoundTerm(number, TermView(lists), count) if count else None
    if len(cache) >= _REMEMBERED:
        cache.clear()
    cache[key] = found
    return found


class TermCounts(Record):
    """The number of live chunks that hold each term, by field and text."""

    terms: tuple[tuple[int, bytes], ...]

    def for_shard(self, _shard: Shard) -> TermCounts:
        """The same."""
        return self

    def answer(self, snapshot: Snapshot) -> tuple[int, ...]:
        """The counts of the terms, in their order."""
        return tuple(snapshot.counts(snapshot.postings(*term))[0] for term in self.terms)

    def merge(
        self, _whole: Snapshot, parts: Sequence[tuple[Shard, tuple[int, ...]]]
    ) -> tuple[int, ...]:
        """The sums: a chunk is alive in one shard only."""
        columns = zip(*(counts for _, counts in parts), strict=True)
        return tuple(map(sum, columns)) if parts else (0,) * len(self.terms)


def prefetch_counts(snapshot: Snapshot, terms: Iterable[tuple[str, bytes]]) -> None:
    """Look up in one go what of these terms is not known yet, where that takes long one by one."""
    if not snapshot.prefetches_terms:
        return
    cache = _FOUND.setdefault(snapshot, {})
    numbers = {field.name: number for number, field in enumerate(snapshot.schema.fields)}
    keys = dict.fromkeys((numbers[field], term) for field, term in terms)
    fresh = tuple(key for key in keys if key not in cache)
    if not fresh:
        return
    if not snapshot.is_distributed:
        _prefetch_once(snapshot, fresh)
        return
    counts = snapshot.ask(TermCounts(fresh))
    if len(cache) + len(fresh) > _REMEMBERED:
        cache.clear()
    for key, count in zip(fresh, counts, strict=True):
        cache[key] = FoundTerm(key[0], None, count) if count else None


def _prefetch_once(snapshot: Snapshot, terms: Sequence[tuple[int, bytes]]) -> None:
    """Expect a part once: prefetched parts are in the cache, unless they had to make room."""
    expected = _EXPECTED.setdefault(snapshot, set())
    if fresh := [term for term in terms if term not in expected]:
        from index_format.query.remote_terms import prefetch_terms  # noqa: PLC0415 few are remote

        prefetch_terms(snapshot, fresh)
        if len(expected) + len(fresh) > _REMEMBERED:
            expected.clear()
        expected.update(fresh)


_EXPECTED: Final[WeakKeyDictionary[Snapshot, set[tuple[int, bytes]]]] = WeakKeyDictionary()
_FOUND: Final[WeakKeyDictionary[Snapshot, dict[tuple[int, bytes], FoundTerm | None]]] = (
    WeakKeyDictionary()
)


class _Statistics:
    """The part of a searcher that a Whoosh scorer uses, filled with a snapshot's figures."""

    def __init__(self, snapshot: Snapshot, found: FoundTerm, model: BM25F) -> None:
        self.schema = _SCORABLE
        self._snapshot = snapshot
        self._found = found
        self._model = model

    def get_parent(self) -> _Statistics:
        return self

    def doc_count_all(self) -> int:
        return self._snapshot.chunk_count

    def doc_frequency(self, _field: str, _term: object) -> int:
        return self._found.count

    def avg_field_length(self, _field: str) -> float:
        return self._snapshot.token_count(self._found.field) / (self._snapshot.chunk_count or 1)

    def term_info(self, _field: str, _term: object) -> _TermInfo:
        return _TERM_INFO

    def idf(self, field: str, term: object) -> float:
        return float(self._model.idf(self, field, term))


class _TermInfo:
    """Makes Whoosh's scorer compute a bound that nothing uses: blocks have bounds of their own."""

    def max_weight(self) -> int:
        return 1

    def min_length(self) -> int:
        return 1


class _Scorable:
    scorable = True

    def __getitem__(self, _name: str) -> _Scorable:
        return self


_SCORABLE: Final = _Scorable()
_TERM_INFO: Final = _TermInfo()


class TermScores:
    """One term over all segments, with its scorer and its upper bounds."""

    def __init__(
        self, snapshot: Snapshot, term: WeightedTerm, found: FoundTerm, model: BM25F
    ) -> None:
        """Nothing is decoded yet."""
        self._snapshot = snapshot
        self._field = found.field
        self._boost = term.boost
        self.count = found.count
        self._made_of = found, model, term

    @property
    def _view(self) -> TermView:
        view = self._made_of[0].view
        if view is None:
            message = "its postings are read by others"
            raise LookupError(message)
        return view

    @property
    def key(self) -> TermKey:
        """The key that opens the term in a shard."""
        found, model, term = self._made_of
        return TermKey(term, found.count, model)

    @cached_property
    def _scorer(self) -> BM25FScorer:
        """Whoosh's scorer for the term."""
        found, model, term = self._made_of
        statistics = _Statistics(self._snapshot, found, model)
        return model.scorer(statistics, term.field, term.term)

    @property
    def figures(self) -> tuple[float, float, float, float, float] | None:
        """Inverse frequency, K1, B, average length and boost; None for another model than BM25F."""
        found, model, term = self._made_of
        if model.__class__ is not BM25F:
            return None
        # as Whoosh's scorer takes them, which also computes what is not used here
        statistics = _Statistics(self._snapshot, found, model)
        average = statistics.avg_field_length(term.field) or 1.0
        b = model._field_B.get(term.field, model.B)  # noqa: SLF001 the model has no other way to tell
        return statistics.idf(term.field, term.term), model.K1, b, average, self._boost

    def stored(self) -> tuple[StoredTerm, ...]:
        """The stored data of the term in each segment, for compiled code."""
        return tuple([item.postings.stored(item.segment.base) for item in self._view.lists])

    def sparse(self) -> tuple[SparseTerm, ...]:
        """The same without rows, of which compiled code asks for some."""
        return tuple([item.postings.sparse(item.segment.base) for item in self._view.lists])

    @property
    def length_codes(self) -> U8:
        """Codes of the lengths of the term's field, for all chunks."""
        return self._snapshot.codes(self._field)

    @cached_property
    def bound(self) -> float:
        """The most that the term can add to any chunk."""
        blocks, tails = self._block_bounds, self._tail_scores
        return max(float(blocks.max(initial=0.0)), float(tails.max(initial=0.0)))

    @cached_property
    def _block_bounds(self) -> F64:
        return self._scores(self._view.most, self._view.fitting)

    @cached_property
    def _tail_scores(self) -> F64:
        chunks, frequencies = self._view.tails
        return self._scores(frequencies, self._codes(chunks))

    def all_scores(self) -> tuple[I64, F64]:
        """All chunks, ascending, and their scores; dead ones too."""
        chunks, frequencies = self.postings()
        return chunks, self.scores_of(chunks, frequencies)

    def postings(self) -> tuple[I64, U32]:
        """All chunks, ascending, and how often each holds the term; dead ones too."""
        return self._view.all()

    def scores_of(self, chunks: I64, frequencies: U32) -> F64:
        """The scores of chunks that hold the term so often."""
        return self._scores(frequencies, self._codes(chunks))

    def add_to(self, totals: F64) -> None:
        """Add the score of every chunk to its place in an array over all chunks."""
        for begin in range(0, self._view.block_count, _BLOCKS_AT_ONCE):
            end = min(begin + _BLOCKS_AT_ONCE, self._view.block_count)
            chunks, scores = self._blocks(np.arange(begin, end))
            totals[chunks] += scores
        totals[self._view.tails[0]] += self._tail_scores

    def best(
        self, threshold: float, later: float, limit: int, permitted: ChunkFilter
    ) -> tuple[I64, F64]:
        """Permitted chunks that with `later` more could reach the threshold, in no order.

        The threshold rises to what `limit` of them are found to reach. Blocks that can't hold such
        a chunk are not decoded.
        """
        needed = threshold - later
        tails, tail_scores = permitted.only(self._view.tails[0], self._tail_scores)
        chunks, scores = [tails], [tail_scores]
        bounds = self._block_bounds
        left = (bounds >= needed).nonzero()[0]
        first = bounds[left] >= score_at_rank(bounds[left], _FIRST_BLOCKS)
        part, left = left[first], left[~first]
        while len(part):
            more, more_scores = permitted.only(*self._blocks(part))
            kept = more_scores >= needed
            chunks.append(more[kept])
            scores.append(more_scores[kept])
            reached = score_at_rank(np.concatenate(scores), limit) * (1 - SLACK)
            needed = max(needed, reached - later)
            left = left[bounds[left] >= needed]
            part, left = left[:_BLOCKS_AT_ONCE], left[_BLOCKS_AT_ONCE:]
        return np.concatenate(chunks), np.concatenate(scores)

    def blocks_above(self, needed: float) -> int:
        """The number of blocks that may hold a chunk with at least this score."""
        return int(np.count_nonzero(self._block_bounds >= needed))

    def sample(self, permitted: ChunkFilter) -> tuple[I64, F64]:
        """The chunks of the most promising blocks and of the tails, ascending, and their scores."""
        bounds = self._block_bounds
        chosen = (bounds >= score_at_rank(bounds, _FIRST_BLOCKS)).nonzero()[0][: 2 * _FIRST_BLOCKS]
        chunks, scores = self._blocks(chosen)
        chunks = np.concatenate([chunks, self._view.tails[0]])
        order = np.argsort(chunks, kind="stable")
        return permitted.only(chunks[order], np.concatenate([scores, self._tail_scores])[order])

    def _blocks(self, chosen: I64) -> tuple[I64, F64]:
        chunks, frequencies = self._view.blocks(chosen)
        flat = chunks.ravel()
        return flat, self._scores(frequencies.ravel(), self._codes(flat))

    def ceilings(self, chunks: I64) -> F64:
        """The most that this term can add to each of these (ascending) chunks."""
        last = self._view.last
        ceilings = np.zeros(len(chunks), dtype=np.float64)
        if len(last) > len(chunks):
            block = np.searchsorted(last, chunks)
            inside = block < len(last)
            ceilings[inside] = self._block_bounds[block[inside]]
        elif len(last):
            edges = np.searchsorted(chunks, last, side="right")
            inside = np.repeat(self._block_bounds, steps(np.concatenate([[0], edges])))
            ceilings[: len(inside)] = inside
        at, tail = locate_chunks(self._view.tails[0], chunks)
        ceilings[at] = np.maximum(ceilings[at], self._tail_scores[tail])
        return ceilings

    def lookup(self, chunks: I64) -> tuple[F64, I64]:
        """This term's scores for these (ascending) chunks, and which of them hold it."""
        at, frequencies = self._view.find(chunks)
        added = np.zeros(len(chunks), dtype=np.float64)
        added[at] = self._scores(frequencies, self._codes(chunks[at]))
        return added, at

    def frequencies(self, chunks: I64) -> U32:
        """The number of the term's occurrences in each of these (ascending) chunks."""
        at, frequencies = self._view.find(chunks)
        counts = np.zeros(len(chunks), dtype=np.uint32)
        counts[at] = frequencies
        return counts

    def _codes(self, chunks: I64) -> U8:
        return self.length_codes[chunks]

    def _scores(self, frequencies: U32 | I64, codes: U8) -> F64:
        if len(frequencies) < _TABLE_PAYS:
            return self._computed(frequencies, codes)
        common = frequencies < _TABLE_ROWS
        rare = (~common).nonzero()[0]
        places = frequencies.astype(np.int64) << 8
        places |= codes
        places[rare] = 0
        scores: F64 = self._table.take(places)
        scores[rare] = self._computed(frequencies[rare], codes[rare])
        return scores

    @cached_property
    def _table(self) -> F64:
        """Scores of all pairs of a small frequency and a length code."""
        rows = np.repeat(np.arange(_TABLE_ROWS, dtype=np.int64), 256)
        codes = np.arange(len(rows)).astype(np.uint8)
        return self._computed(rows, codes)

    def _computed(self, frequencies: U32 | I64, codes: U8) -> F64:
        lengths = CODE_LENGTHS[codes]
        scores: F64 = self._scorer._score(frequencies.astype(np.float64), lengths)  # noqa: SLF001 the arithmetic of Whoosh's scorer takes arrays as well
        if self._boost != 1.0:
            scores *= self._boost
        return scores


def open_scores(snapshot: Snapshot, term: WeightedTerm, model: BM25F) -> TermScores | None:
    """The scores of a term; None where no live chunk holds it."""
    found = find_term(snapshot, term)
    return None if found is None else TermScores(snapshot, term, found, model)


class TermKey(Record):
    """A term to score by its count of live chunks in all shards."""

    term: WeightedTerm
    count: int
    model: BM25F


def open_in_shard(snapshot: Snapshot, key: TermKey) -> TermScores | None:
    """The scores of a term in the chunks of a shard; None where it has no chunk of it."""
    found = find_term(snapshot, key.term)
    if found is None:
        return None
    if found.count != key.count:
        found = FoundTerm(found.field, found.view, key.count)
    return TermScores(snapshot, key.term, found, key.model)


class ChunkFilter:
    """Leaves out dead and disallowed chunks."""

    def __init__(self, snapshot: Snapshot, allowed: Mask | None) -> None:
        """`allowed` is over all chunk numbers of the snapshot."""
        self.span = snapshot.chunk_span
        self._keep = allowed
        dead = [item.dead_chunks + item.base for item in snapshot.segments if item.dead_files]
        if dead:
            self._keep = (
                np.ones(snapshot.chunk_span, dtype=bool) if allowed is None else allowed.copy()
            )
            self._keep[np.concatenate(dead)] = False

    @property
    def mask(self) -> Mask | None:
        """A mask of the chunks that may be hits; None for all."""
        return self._keep

    def count(self, chunks: I64) -> int:
        """The number of these chunks that may be hits."""
        return len(chunks) if self._keep is None else int(np.count_nonzero(self._keep[chunks]))

    def clear(self, totals: F64) -> None:
        """Set the scores of all other chunks to 0."""
        if self._keep is not None:
            totals[~self._keep] = 0.0

    def only(self, chunks: I64, scores: F64) -> tuple[I64, F64]:
        """The chunks that may be hits, and their scores."""
        if self._keep is None:
            return chunks, scores
        kept = self._keep[chunks]
        return chunks[kept], scores[kept]


def score_at_rank(scores: F64, count: int) -> float:
    """The highest score that at least `count` of these reach; 0 where there are fewer."""
    if len(scores) < count:
        return 0.0
    if len(scores) > _SAMPLED:
        step = len(scores) // _SAMPLED + 1
        sample = scores[::step]
        guess = min(2 * count // step + 8, len(sample))
        best = scores[scores >= np.partition(sample, len(sample) - guess)[len(sample) - guess]]
        if len(best) >= count:
            scores = best
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])
