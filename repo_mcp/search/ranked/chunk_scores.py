"""Scores candidate chunks: each term's field frequencies are weighted, summed and saturated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.facts import normalize_name
from index_format import LENGTHS_OF_CODES, SCORE_DIGITS, Snapshot
from repo_mcp.native import NATIVE, ScoreWeights, ServerNative, TermCounts
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.candidates import CandidateChunks, is_new
from repo_mcp.search.ranked.file_passages import (
    DECAY_STEPS,
    PASSAGES,
    WORTH_SHOWING,
    FileFactors,
    FilePassages,
    PassageColumns,
    PathWeights,
    RankedFiles,
    list_passages,
)
from repo_mcp.search.ranked.path_signals import path_signals
from repo_mcp.search.ranked.query_terms import QueryWord
from repo_mcp.search.ranked.term_lookup import F64, I64, Saturation, TermStatistics
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import BODY, NAME, PATH, SYMBOL

if TYPE_CHECKING:
    import numpy.typing as npt

# best chunks of a file that count for its coverage of the query
_TOGETHER: Final = 4
# chunks that have a word which is asked for where it stands
_FEW_HOLDERS: Final = 2
# the fields' numbers in compiled code
_FIELDS: Final = {BODY: 0, SYMBOL: 1, NAME: 2, PATH: 3}


class ChunkScores:
    """Scores of the candidate chunks, limited to the most promising files."""

    def __init__(
        self,
        snapshot: Snapshot,
        candidates: CandidateChunks,
        terms: Sequence[TermStatistics],
        weights: Weights,
        most_files: int,
        name: str = "",
        native: ServerNative | None = NATIVE,
    ) -> None:
        """Keeps the chunks of about `most_files` files, by a score without their paths.

        `name` is the query, if it may be a name.
        """
        self._snapshot = snapshot
        self._candidates = candidates.chunks
        self._weights = weights
        self._terms = terms
        self._is_name = [bool(name) and normalize_name(item.word.term) == name for item in terms]
        self._native = native
        self._all_counts = [
            {field: candidates.frequencies(scores) for field, scores in item.fields.items()}
            for item in terms
        ]
        # by term and field, the frequencies of all forms of its word together
        self._all_class_counts = [
            _with_forms(candidates, item, counts) if item.forms else counts
            for item, counts in zip(terms, self._all_counts, strict=True)
        ]
        self._all_norms = _norms(snapshot, candidates.chunks, weights.b)
        files = np.searchsorted(snapshot.file_starts, candidates.chunks, side="right") - 1
        # of the chosen chunks their places among all, their numbers, ascending, and files from 0 on
        self._kept = _of_best_files(self._guess(), files, most_files)
        self.chunks: I64 = candidates.chunks[self._kept]
        new = is_new(files[self._kept])
        self.owners: I64 = np.cumsum(new) - 1
        self.paths = snapshot.paths_of(files[self._kept][new])
        self.signs = [path_signals(path) for path in self.paths]

    @cached_property
    def alone(self) -> frozenset[int]:
        """The files with a word of the query that hardly any chunk has, by their numbers."""
        found = set[int]()
        for item, counts in zip(self._terms, self._all_counts, strict=True):
            scores = item.fields.get(BODY)
            if scores is not None and scores.count <= _FEW_HOLDERS and item.word.weight >= 1:
                found.update(self.owners[counts[BODY][self._kept] > 0].tolist())
        return frozenset(found)

    def chunk_counts(self) -> I64:
        """The number of chunks of each file."""
        starts = self._snapshot.file_starts
        files = np.searchsorted(starts, self.chunks[self.edges[:-1]], side="right") - 1
        counts: I64 = starts[files + 1] - starts[files]
        return counts

    @cached_property
    def edges(self) -> list[int]:
        """The first chunk of each file, and the end."""
        return [*is_new(self.owners).nonzero()[0].tolist(), len(self.owners)]

    def _for_compiled(self) -> tuple[tuple[TermCounts, ...], ScoreWeights]:
        weights = self._weights
        columns = [
            (_columns(counts), _columns(class_counts) if item.forms else None)
            for item, counts, class_counts in zip(
                self._terms, self._all_counts, self._all_class_counts, strict=True
            )
        ]
        terms = tuple(
            (
                item.word.weight,
                item.scorer.idf,
                item.class_scorer.idf if item.class_scorer else 0.0,
                is_name,
                exact,
                exact if every is None else every,
            )
            for item, is_name, (exact, every) in zip(
                self._terms, self._is_name, columns, strict=True
            )
        )
        factors = (
            *(weights.k1, weights.stems, weights.name, weights.symbol),
            *(weights.inside, weights.declares, weights.declared),
        )
        return terms, factors

    def rank(self, paths: PathWeights) -> RankedFiles:
        """The passages of all files, best first."""
        if self._native is None:
            return self._rank_by_numpy(paths)
        weights = self._weights
        names = tuple(
            [
                (item.word.term, stem(item.word.term) if item.class_scorer else "")
                for item in self._terms
            ]
        )
        limits = (
            *(_TOGETHER, PASSAGES, DECAY_STEPS, WORTH_SHOWING),
            *(weights.decay, weights.repeated, weights.together),
            *(weights.name, weights.folder, weights.coverage),
        )
        scores, files, numbers, shares, declares = self._native.rank_files(
            *self._for_compiled(),
            (
                *(self._all_norms.tobytes(), self._kept.tobytes()),
                *(self.owners.tobytes(), self.chunks.tobytes()),
            ),
            (names, paths.words),
            (self.signs, *paths.encoded(self.paths, self.signs, self.alone)),
            limits,
        )
        named = map(self.paths.__getitem__, memoryview(files).cast("q"))
        return RankedFiles(
            zip(memoryview(scores).cast("d"), named, memoryview(numbers).cast("q"), strict=True),
            memoryview(shares).cast("d"),
            declares,
        )

    def _rank_by_numpy(self, paths: PathWeights) -> RankedFiles:
        found = self._passages_by_numpy(paths.factors(self.paths, self.signs, self.alone))
        passages = [
            (score, path, chunk)
            for path, passages in zip(self.paths, found.passages, strict=True)
            for score, chunk in passages
        ]
        passages.sort(key=itemgetter(0), reverse=True)
        return RankedFiles(iter(passages), found.shares, found.declares)

    def _passages_by_numpy(self, factors: FileFactors) -> FilePassages:
        declares = self._declares()
        declared = 1 + self._weights.declared * declares
        exact = self.scores() * declared
        inside = -np.round(self.passage_scores() * declared, SCORE_DIGITS)
        columns = PassageColumns(
            exact.tolist(), inside.tolist(), declares.tolist(), self.chunks.tolist()
        )
        return list_passages(columns, self.edges, self.coverage(exact), factors, self._weights)

    def _path_weights(self, word: QueryWord) -> F64:
        """By file, the weighted frequency that its path adds for a term."""
        term, name, folder = word.term, self._weights.name, self._weights.folder
        return np.array(
            [name * (term in s.name) + folder * (term in s.folders) for s in self.signs]
        )

    def _stem_weights(self, item: TermStatistics) -> F64:
        """By file, the weighted frequency that its path adds for all forms of a word."""
        if item.class_scorer is None:
            return np.zeros(len(self.signs))
        root, name, folder = stem(item.word.term), self._weights.name, self._weights.folder
        return np.array(
            [name * (root in s.name_stems) + folder * (root in s.folder_stems) for s in self.signs]
        )

    @cached_property
    def _counts(self) -> list[dict[str, F64]]:
        return _kept(self._all_counts, self._kept)

    @cached_property
    def class_counts(self) -> list[dict[str, F64]]:
        """By term, how often each chunk has any of its forms, by field."""
        return _kept(self._all_class_counts, self._kept)

    @cached_property
    def _norms(self) -> F64:
        found: F64 = self._all_norms[self._kept]
        return found

    def _declares(self) -> npt.NDArray[np.bool_]:
        """Mask of the chunks that declare the name made of the whole query."""
        found = np.zeros(len(self.chunks), dtype=np.bool_)
        for number, is_name in enumerate(self._is_name):
            if is_name:
                found |= self.is_declared_in(number)
        return found

    def _score(self, item: TermStatistics, exact: F64, every: F64) -> F64:
        """The score of a term, from its weighted frequencies and those of all forms."""
        if item.class_scorer is None:
            return item.word.weight * item.scorer.score_of(exact)
        share, of_class = self._weights.stems, item.class_scorer.score_of(every)
        return item.word.weight * ((1 - share) * item.scorer.score_of(exact) + share * of_class)

    def _guess(self) -> F64:
        """The approximate score of each candidate, without its path."""
        norms = self._all_norms
        total = np.zeros(len(norms))
        for number, item in enumerate(self._terms):
            exact = self._sum_fields(self._all_counts[number], norms)
            every = self._sum_fields(self._all_class_counts[number], norms)
            total += self._score(item, exact, every)
        return total

    def _sum_fields(self, counts: Mapping[str, F64], norms: F64) -> F64:
        weight = np.zeros(len(norms))
        for field, held in counts.items():
            weight += self._weighted(field, held, norms)
        return weight

    def _weighted(self, field: str, counts: F64, norms: F64) -> F64:
        if field == BODY:
            return counts / norms
        if field in {NAME, PATH}:
            return np.where(counts > 0, self._weights.name, 0.0)
        return counts * float(getattr(self._weights, field))

    def scores(self) -> F64:
        """The score of each chunk over all terms."""
        total = np.zeros(len(self.chunks))
        for number in range(len(self._terms)):
            for part in self.parts(number).values():
                total += part
        return total

    def parts(self, number: int) -> dict[str, F64]:
        """By field, what a term, given by its number, adds to the score of each chunk."""
        item = self._terms[number]
        exact = self._field_weights(self._path_weights(item.word), self._counts[number])
        parts = _shares_of(item.scorer, exact)
        if item.class_scorer is not None:
            every = self._field_weights(self._stem_weights(item), self.class_counts[number])
            parts = _mixed(parts, _shares_of(item.class_scorer, every), self._weights.stems)
        return {field: item.word.weight * part for field, part in parts.items()}

    def passage_scores(self) -> F64:
        """Scores for choosing among the chunks of one file: declared names count most.

        The path is the same for all of them, and the body counts less, so it saturates later.
        """
        total = np.zeros(len(self.chunks))
        for number, item in enumerate(self._terms):
            exact = self._inside(self._counts[number])
            total += self._score(item, exact, self._inside(self.class_counts[number]))
        return total

    def _inside(self, held: Mapping[str, F64]) -> F64:
        weight = np.zeros(len(self.chunks))
        if BODY in held:
            weight += self._weights.inside * self._weighted(BODY, held[BODY], self._norms)
        if SYMBOL in held:
            weight += self._weights.declares * held[SYMBOL]
        return weight

    def coverage(self, scores: F64) -> list[float]:
        """The share of the query's weight that the best chunks of each file match together."""
        order = np.lexsort((-np.round(scores, SCORE_DIGITS), self.owners))
        places = np.arange(len(order)) - np.array(self.edges)[self.owners]
        best = order[places < _TOGETHER]
        held = np.zeros((len(self._terms), len(best)), dtype=np.bool_)
        for number, counts in enumerate(self.class_counts):
            for part in counts.values():
                held[number] |= part[best] > 0
        there = np.logical_or.reduceat(held, is_new(self.owners[best]).nonzero()[0], axis=1)
        matched, whole = np.zeros(there.shape[1]), 0.0
        for item, files in zip(self._terms, there, strict=True):  # `sum` may sum in another way
            worth = item.word.weight * item.scorer.idf
            matched += worth * files
            whole += worth
        shares: list[float] = (matched / (whole or 1.0)).tolist()
        return shares

    def _field_weights(self, named: F64, held: Mapping[str, F64]) -> dict[str, F64]:
        """By field, the weighted frequency of a term in each chunk; `named` is by file."""
        found: dict[str, F64] = {PATH: named[self.owners]}
        for field, counts in held.items():
            if field not in {NAME, PATH}:
                found[field] = self._weighted(field, counts, self._norms)
        return found

    def is_declared_in(self, number: int) -> npt.NDArray[np.bool_]:
        """Mask of the chunks that declare a term, given by its number."""
        counts = self._all_counts[number].get(SYMBOL)
        if counts is None:
            return np.zeros(len(self._kept), dtype=np.bool_)
        declared: npt.NDArray[np.bool_] = counts[self._kept] > 0
        return declared


def _columns(counts: Mapping[str, F64]) -> tuple[tuple[int, bytes], ...]:
    return tuple([(_FIELDS[field], held.tobytes()) for field, held in counts.items()])


def _shares_of(scorer: Saturation, weights: Mapping[str, F64]) -> dict[str, F64]:
    """By field, its share of the score of all fields together."""
    total = sum(weights.values(), np.zeros(1))
    factor = scorer.score_of(total) / np.where(total > 0, total, 1.0)
    return {field: weight * factor for field, weight in weights.items()}


def _mixed(parts: Mapping[str, F64], others: Mapping[str, F64], share: float) -> dict[str, F64]:
    """The parts, with a share of the others in their place."""
    none = np.zeros(1)
    return {
        field: (1 - share) * parts.get(field, none) + share * others.get(field, none)
        for field in dict.fromkeys((*parts, *others))
    }


def _with_forms(
    candidates: CandidateChunks, item: TermStatistics, counts: Mapping[str, F64]
) -> dict[str, F64]:
    found = dict(counts)
    for field, forms in item.forms.items():
        for scores in forms:
            more = candidates.frequencies(scores)
            found[field] = found[field] + more if field in found else more
    return found


def _kept(counts: Sequence[Mapping[str, F64]], kept: I64) -> list[dict[str, F64]]:
    return [{field: held[kept] for field, held in item.items()} for item in counts]


def _norms(snapshot: Snapshot, chunks: I64, b: float) -> F64:
    """BM25's length normalisation: the divisor of each chunk's frequencies."""
    body = snapshot.schema.number(BODY) or 0
    average = snapshot.token_count(body) / (snapshot.chunk_count or 1)
    lengths = LENGTHS_OF_CODES[snapshot.codes(body)[chunks]]
    found: F64 = 1 - b + b * lengths / (average or 1.0)
    return found


def _of_best_files(scores: F64, files: I64, most: int) -> I64:
    """Indexes of the chunks of the files with the best chunks; ties at the end are all kept."""
    begins = is_new(files).nonzero()[0]
    if len(begins) <= most:
        return np.arange(len(files))
    best = np.round(np.maximum.reduceat(scores, begins), SCORE_DIGITS)
    last = np.partition(best, len(best) - most)[len(best) - most]
    sizes = np.concatenate([begins[1:], [len(files)]]) - begins
    kept: I64 = np.repeat(best >= last, sizes).nonzero()[0]
    return kept
