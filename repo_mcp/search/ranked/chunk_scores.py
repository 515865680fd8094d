"""Scores candidate chunks: each term's field frequencies are weighted, summed and saturated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Snapshot
from repo_mcp.search.ranked.candidates import DIGITS, CandidateChunks, is_new
from repo_mcp.search.ranked.path_signals import PathSignals, path_signals
from repo_mcp.search.ranked.query_terms import Word
from repo_mcp.search.ranked.term_lookup import F64, I64, Saturation, TermStatistics
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.search.ranked.word_forms import stem
from repo_mcp.stored import BODY, NAME, PATH, SYMBOL

# best chunks of a file that count for its coverage of the query
_TOGETHER: Final = 4


class ChunkScores:
    """Scores of the candidate chunks, limited to the most promising files."""

    def __init__(
        self,
        snapshot: Snapshot,
        candidates: CandidateChunks,
        terms: Sequence[TermStatistics],
        weights: Weights,
        most_files: int,
    ) -> None:
        """Keeps the chunks of about `most_files` files, by a score without their paths."""
        self._weights = weights
        self._terms = terms
        self._counts = [
            {field: candidates.frequencies(scores) for field, scores in item.fields.items()}
            for item in terms
        ]
        # by term and field, the frequencies of all forms of its word together
        self._class_counts = [
            _with_forms(candidates, item, counts)
            for item, counts in zip(terms, self._counts, strict=True)
        ]
        self.chunks = candidates.chunks
        self._norms = _norms(snapshot, self.chunks, weights.b)
        files = np.searchsorted(snapshot.file_starts, self.chunks, side="right") - 1
        files = self._keep(_of_best_files(self._guess(), files, most_files), files)
        new = is_new(files)
        self.owners = np.cumsum(new) - 1
        self.edges: list[int] = [*new.nonzero()[0].tolist(), len(self.chunks)]
        self.paths = [snapshot.path_of(number) for number in files[new].tolist()]
        self.signs = [path_signals(path) for path in self.paths]

    def _keep(self, kept: I64, files: I64) -> I64:
        self.chunks = self.chunks[kept]
        self._norms = self._norms[kept]
        self._counts = _kept(self._counts, kept)
        self._class_counts = _kept(self._class_counts, kept)
        return files[kept]

    def _score(self, item: TermStatistics, exact: F64, every: F64) -> F64:
        """The score of a term, from its weighted frequencies and those of all forms."""
        if item.class_scorer is None:
            return item.word.weight * item.scorer.score_of(exact)
        share, of_class = self._weights.stems, item.class_scorer.score_of(every)
        return item.word.weight * ((1 - share) * item.scorer.score_of(exact) + share * of_class)

    def _guess(self) -> F64:
        """The approximate score of each chunk, without its path."""
        total = np.zeros(len(self.chunks))
        for number, item in enumerate(self._terms):
            exact = self._sum_fields(self._counts[number])
            total += self._score(item, exact, self._sum_fields(self._class_counts[number]))
        return total

    def _sum_fields(self, counts: Mapping[str, F64]) -> F64:
        weight = np.zeros(len(self.chunks))
        for field, held in counts.items():
            weight += self._weighted(field, held)
        return weight

    def _weighted(self, field: str, counts: F64) -> F64:
        if field == BODY:
            return counts / self._norms
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
        exact = self._field_weights(number, self._counts[number], path_weight)
        parts = _shares_of(item.scorer, exact)
        if item.class_scorer is not None:
            every = self._field_weights(number, self._class_counts[number], stem_weight)
            parts = _mixed(parts, _shares_of(item.class_scorer, every), self._weights.stems)
        return {field: item.word.weight * part for field, part in parts.items()}

    def passage_scores(self) -> F64:
        """Scores for choosing among the chunks of one file: declared names count most.

        The path is the same for all of them, and the body counts less, so it saturates later.
        """
        total = np.zeros(len(self.chunks))
        for number, item in enumerate(self._terms):
            exact = self._inside(self._counts[number])
            total += self._score(item, exact, self._inside(self._class_counts[number]))
        return total

    def _inside(self, held: Mapping[str, F64]) -> F64:
        weight = np.zeros(len(self.chunks))
        if BODY in held:
            weight += self._weights.inside * self._weighted(BODY, held[BODY])
        if SYMBOL in held:
            weight += self._weights.declares * held[SYMBOL]
        return weight

    def coverage(self, scores: F64) -> list[float]:
        """The share of the query's weight that the best chunks of each file match together."""
        order = np.lexsort((-np.round(scores, DIGITS), self.owners))
        places = np.arange(len(order)) - np.array(self.edges)[self.owners]
        best = order[places < _TOGETHER]
        held = np.zeros((len(self._terms), len(best)), dtype=np.bool_)
        for number, counts in enumerate(self._class_counts):
            for part in counts.values():
                held[number] |= part[best] > 0
        there = np.logical_or.reduceat(held, is_new(self.owners[best]).nonzero()[0], axis=1)
        worth = np.array([[item.word.weight * item.scorer.idf] for item in self._terms])
        shares: list[float] = ((worth * there).sum(axis=0) / (worth.sum() or 1.0)).tolist()
        return shares

    def _field_weights(
        self,
        number: int,
        held: Mapping[str, F64],
        measure: Callable[[PathSignals, Word, Weights], float],
    ) -> dict[str, F64]:
        """By field, the weighted frequency of a term in each chunk."""
        word = self._terms[number].word
        named = np.array([measure(sign, word, self._weights) for sign in self.signs])
        found: dict[str, F64] = {PATH: named[self.owners]}
        for field, counts in held.items():
            if field not in {NAME, PATH}:
                found[field] = self._weighted(field, counts)
        return found

    def is_declared_in(self, number: int) -> npt.NDArray[np.bool_]:
        """Mask of the chunks that declare a term, given by its number."""
        counts = self._counts[number].get(SYMBOL)
        return np.zeros(len(self.chunks), dtype=np.bool_) if counts is None else counts > 0


def path_weight(sign: PathSignals, word: Word, weights: Weights) -> float:
    """The weighted frequency that a path adds for a term."""
    return weights.name * (word.term in sign.name) + weights.folder * (word.term in sign.folders)


def stem_weight(sign: PathSignals, word: Word, weights: Weights) -> float:
    """The weighted frequency that a path adds for all forms of a word."""
    root = stem(word.term)
    return weights.name * (root in sign.name_stems) + weights.folder * (root in sign.folder_stems)


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
    lengths = snapshot.lengths(body, chunks).astype(np.float64)
    average = snapshot.token_count(body) / (snapshot.chunk_count or 1)
    found: F64 = 1 - b + b * lengths / (average or 1)
    return found


def _of_best_files(scores: F64, files: I64, most: int) -> I64:
    """Indexes of the chunks of the files with the best chunks; ties at the end are all kept."""
    begins = is_new(files).nonzero()[0]
    if len(begins) <= most:
        return np.arange(len(files))
    best = np.round(np.maximum.reduceat(scores, begins), DIGITS)
    last = np.partition(best, len(best) - most)[len(best) - most]
    sizes = np.diff(begins, append=len(files))
    kept: I64 = np.repeat(best >= last, sizes).nonzero()[0]
    return kept
