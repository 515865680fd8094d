"""Scores candidate chunks: each term's field frequencies are weighted, summed and saturated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.facts import normalize_name
from index_format import LENGTHS_OF_CODES, SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.native import NATIVE, ServerNative, TermCounts
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.candidates import CandidateChunks, is_new
from repo_mcp.search.ranked.file_passages import (
    PASSAGES,
    FileFactors,
    PassageColumns,
    PathWeights,
    RankedFiles,
    list_passages,
)
from repo_mcp.search.ranked.passage_table import PassageTable
from repo_mcp.search.ranked.path_signals import path_signals
from repo_mcp.search.ranked.term_lookup import F64, I64, TermStatistics
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import BODY, NAME, PATH, SYMBOL

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

# chunks that have a word which is asked for where it stands
_FEW_HOLDERS: Final = 2
# the fields' numbers in compiled code
_FIELDS: Final = {BODY: 0, SYMBOL: 1, NAME: 2, PATH: 3}


class Frequencies(NamedTuple):
    """By field, how often each chunk has a word of the query as it is, and in any form."""

    item: TermStatistics
    exact: Mapping[str, F64]
    every: Mapping[str, F64]

    @property
    def root(self) -> str:
        """The stem of the word, where its other forms count."""
        return stem(self.item.word.term) if self.item.class_scorer else ""

    def of(self, chunks: I64) -> Frequencies:
        """The frequencies in some of the chunks."""
        exact, every = (
            {field: counts[chunks] for field, counts in held.items()}
            for held in (self.exact, self.every)
        )
        return Frequencies(self.item, exact, every)


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
        self._weights = weights
        self._native = native
        self._is_name = [bool(name) and normalize_name(item.word.term) == name for item in terms]
        self._terms = [_frequencies(candidates, item) for item in terms]
        self._norms = _norms(snapshot, candidates.chunks, weights.b)
        files = np.searchsorted(snapshot.file_starts, candidates.chunks, side="right") - 1
        kept = _of_best_files(self._sum(self._guesses()), files, most_files)
        if len(kept) < len(files):
            self._terms = [item.of(kept) for item in self._terms]
            self._norms = self._norms[kept]
        self.chunks: I64 = candidates.chunks[kept]
        new = is_new(files[kept])
        # by chunk, its file, numbered from 0 on
        self.owners: I64 = np.cumsum(new) - 1
        # by file, its number in the snapshot
        self.numbers: I64 = files[kept][new]
        self.paths = snapshot.paths_of(self.numbers)
        self.signs = [path_signals(path) for path in self.paths]

    @cached_property
    def alone(self) -> frozenset[int]:
        """The files with a word of the query that hardly any chunk has, by their numbers."""
        found = set[int]()
        for item, exact, _ in self._terms:
            scores = item.fields.get(BODY)
            if scores is not None and scores.count <= _FEW_HOLDERS and item.word.weight >= 1:
                found.update(self.owners[exact[BODY] > 0].tolist())
        return frozenset(found)

    @cached_property
    def edges(self) -> list[int]:
        """The first chunk of each file, and the end."""
        return [*is_new(self.owners).nonzero()[0].tolist(), len(self.owners)]

    @property
    def class_counts(self) -> list[Mapping[str, F64]]:
        """By term, how often each chunk has any of its forms, by field."""
        return [item.every for item in self._terms]

    def rank(self, paths: PathWeights) -> RankedFiles:
        """The passages of all files, best first."""
        factors = paths.factors(self.paths, self.signs, self.alone)
        if self._native is None:
            return self._rank_by_numpy(factors)
        weights = self._weights
        ranked, files, numbers, shares, declares = self._native.rank_files(
            tuple(map(self._encoded, self._terms, self._is_name)),
            (
                *(weights.k1, weights.stems, weights.symbol),
                *(weights.inside, weights.name, weights.declared),
            ),
            (self._norms.tobytes(), self.owners.tobytes(), self.chunks.tobytes()),
            (self.signs, np.array(factors.path).tobytes(), np.array(factors.prior).tobytes()),
            (*(PASSAGES, weights.decay, weights.repeated, weights.name, weights.symbol),),
        )
        table = PassageTable(
            self.paths,
            np.frombuffer(files, dtype=np.int64),
            np.frombuffer(numbers, dtype=np.int64),
            np.frombuffer(ranked, dtype=np.float64),
        )
        return RankedFiles(table, memoryview(shares).cast("d"), declares)

    def _rank_by_numpy(self, factors: FileFactors) -> RankedFiles:
        is_declared = self._declares()
        declared = 1 + self._weights.declared * is_declared
        scores = self._sum(self._scores()) * declared
        inside = -np.round(self._sum(self._inside()) * declared, SCORE_DIGITS)
        columns = PassageColumns(
            *(scores.tolist(), inside.tolist(), is_declared.tolist(), self.chunks.tolist()),
            paths=self.paths,
        )
        return list_passages(columns, self.edges, self.shares(scores), factors, self._weights)

    def _encoded(self, term: Frequencies, is_name: bool) -> TermCounts:  # noqa: FBT001 as compiled
        item = term.item
        exact, every = (
            tuple((_FIELDS[field], counts.tobytes()) for field, counts in held.items())
            for held in (term.exact, term.every)
        )
        class_idf = item.class_scorer.idf if item.class_scorer else 0.0
        numbers = item.word.weight, item.scorer.idf, class_idf
        return *numbers, is_name, item.word.term, term.root, exact, every

    def _sum(self, of_terms: Iterator[tuple[TermStatistics, F64, F64]]) -> F64:
        """The score of each chunk over all terms, given weighted frequencies of each."""
        total = np.zeros(len(self._norms))
        for item, exact, every in of_terms:
            score = item.scorer.score_of(exact)
            if item.class_scorer is not None:
                share = self._weights.stems
                score = (1 - share) * score + share * item.class_scorer.score_of(every)
            total += item.word.weight * score
        return total

    def _guesses(self) -> Iterator[tuple[TermStatistics, F64, F64]]:
        """The weighted frequencies without paths: a name has a word, or it has none."""
        for item, exact, every in self._terms:
            yield (
                item,
                self._weigh(exact, self._named(exact)),
                self._weigh(every, self._named(every)),
            )

    def _named(self, held: Mapping[str, F64]) -> F64 | float:
        there = held.get(NAME, held.get(PATH))
        return 0.0 if there is None else np.where(there > 0, self._weights.name, 0.0)

    def _scores(self) -> Iterator[tuple[TermStatistics, F64, F64]]:
        """The weighted frequencies with those of paths."""
        for term in self._terms:
            item, exact, every = term
            paths = np.array([self._in_path(term, file) for file in range(len(self.paths))])
            own, root = paths.T[:, self.owners]
            yield item, self._weigh(exact, own), self._weigh(every, root)

    def _in_path(self, term: Frequencies, file: int) -> tuple[float, float]:
        """The weights of a term, and of the forms of its word together, in the path of a file."""
        sign, word, root = self.signs[file], term.item.word.term, term.root
        name, folder = self._weights.name, self._weights.symbol
        return (
            name * (word in sign.name) + folder * (word in sign.folders),
            name * (root in sign.name_stems) + folder * (root in sign.folder_stems),
        )

    def _inside(self) -> Iterator[tuple[TermStatistics, F64, F64]]:
        """The weighted frequencies for choosing among the chunks of one file.

        The path is the same for all of them, and the body counts less, so it saturates later.
        """
        weights, none = (self._weights.inside, self._weights.name), 0.0
        for item, exact, every in self._terms:
            yield item, self._weigh(exact, none, *weights), self._weigh(every, none, *weights)

    def _weigh(
        self,
        held: Mapping[str, F64],
        path: F64 | float,
        body: float = 1.0,
        symbol: float | None = None,
    ) -> F64:
        found = path + np.zeros(len(self._norms))
        if BODY in held:
            found += body * (held[BODY] / self._norms)
        if SYMBOL in held:
            found += (self._weights.symbol if symbol is None else symbol) * held[SYMBOL]
        return found

    def parts(self, number: int, at: int) -> dict[str, float]:
        """By field, what a term, given by its number, adds to the score of a chunk."""
        term = self._terms[number].of(np.array([at]))
        item, share = term.item, self._weights.stems if term.item.class_scorer else 0.0
        norm, symbol = float(self._norms[at]), self._weights.symbol
        own, root = self._in_path(term, int(self.owners[at]))
        found = dict.fromkeys((PATH, BODY, SYMBOL), 0.0)
        for scorer, part, held, path in (
            (item.scorer, 1 - share, term.exact, own),
            (item.class_scorer, share, term.every, root),
        ):
            counts = {field: float(held[field][0]) if field in held else 0.0 for field in found}
            weights = {PATH: path, BODY: counts[BODY] / norm, SYMBOL: symbol * counts[SYMBOL]}
            total = sum(weights.values())
            if scorer is not None and total:
                worth = item.word.weight * part * scorer.score_of(total) / total
                found = {field: found[field] + worth * weights[field] for field in found}
        return found

    def _declares(self) -> Mask:
        """Mask of the chunks that declare the name made of the whole query."""
        found = np.zeros(len(self.chunks), dtype=np.bool_)
        for term, is_name in zip(self._terms, self._is_name, strict=True):
            if is_name and SYMBOL in term.exact:
                found |= term.exact[SYMBOL] > 0
        return found

    def shares(self, scores: F64) -> list[float]:
        """The share of the query's weight that the best chunks of each file match together."""
        order = np.lexsort((-np.round(scores, SCORE_DIGITS), self.owners))
        places = np.arange(len(order)) - np.array(self.edges)[self.owners]
        best = order[places < PASSAGES]
        begins = is_new(self.owners[best]).nonzero()[0]
        matched, whole = np.zeros(len(begins)), 0.0
        for item, _, every in self._terms:  # `sum` may sum in another way
            worth = item.word.weight * item.scorer.idf
            held = np.zeros(len(best), dtype=np.bool_)
            for counts in every.values():
                held |= counts[best] > 0
            matched += worth * np.logical_or.reduceat(held, begins)
            whole += worth
        found: list[float] = (matched / (whole or 1.0)).tolist()
        return found


def _frequencies(candidates: CandidateChunks, item: TermStatistics) -> Frequencies:
    exact = {field: candidates.frequencies(scores) for field, scores in item.fields.items()}
    every = dict(exact)
    for field, forms in item.forms.items():
        for scores in forms:
            more = candidates.frequencies(scores)
            every[field] = every[field] + more if field in every else more
    return Frequencies(item, exact, every)


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
