"""Scores the texts of promising chunks: each word's weighted frequencies add up, then saturate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Snapshot
from repo_mcp.search.ranked.first_look import DIGITS, FirstLook, is_new
from repo_mcp.search.ranked.path_signs import PathSigns, path_signs
from repo_mcp.search.ranked.query_terms import Word
from repo_mcp.search.ranked.term_lookup import F64, I64, TermStatistics
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import BODY, NAME, PATH, SYMBOL

# chunks of a file that may hold the question's words between them
_TOGETHER: Final = 4


class Texts:
    """Promising chunks of the files that are most promising."""

    def __init__(
        self,
        snapshot: Snapshot,
        look: FirstLook,
        sought: Sequence[TermStatistics],
        weights: Weights,
        most_files: int,
    ) -> None:
        """Take the chunks of about so many files; those after are ever further from the best."""
        self._weights = weights
        self._sought = sought
        self._counts = [
            {field: look.frequencies(scores) for field, scores in item.fields.items()}
            for item in sought
        ]
        self.chunks = look.chunks
        self._norms = _norms(snapshot, self.chunks, weights.b)
        files = np.searchsorted(snapshot.file_starts, self.chunks, side="right") - 1
        files = self._keep(_of_best_files(self._guess(), files, most_files), files)
        new = is_new(files)
        self.owners = np.cumsum(new) - 1
        self.edges: list[int] = [*new.nonzero()[0].tolist(), len(self.chunks)]
        self.paths = [snapshot.path_of(number) for number in files[new].tolist()]
        self.signs = [path_signs(path) for path in self.paths]

    def _keep(self, kept: I64, files: I64) -> I64:
        self.chunks = self.chunks[kept]
        self._norms = self._norms[kept]
        self._counts = [
            {field: counts[kept] for field, counts in item.items()} for item in self._counts
        ]
        return files[kept]

    def _guess(self) -> F64:
        """About the score of each chunk, without a look at its path."""
        total = np.zeros(len(self.chunks))
        for item, counts in zip(self._sought, self._counts, strict=True):
            weight = np.zeros(len(self.chunks))
            for field, held in counts.items():
                weight += self._weighted(field, held)
            total += item.word.weight * item.scorer.score_of(weight)
        return total

    def _weighted(self, field: str, counts: F64) -> F64:
        if field == BODY:
            return counts / self._norms
        if field in {NAME, PATH}:
            return np.where(counts > 0, self._weights.name, 0.0)
        return counts * float(getattr(self._weights, field))

    def scores(self) -> F64:
        """The score of each chunk for all words."""
        total = np.zeros(len(self.chunks))
        for number, item in enumerate(self._sought):
            weight = np.zeros(len(self.chunks))
            for part in self.parts(number).values():
                weight += part
            total += item.word.weight * item.scorer.score_of(weight)
        return total

    def inside(self) -> F64:
        """How well each chunk answers among those of its file: what it declares tells most.

        Its path says nothing here, and the files it competes with are few, so that a word's
        frequency may count for longer.
        """
        weights = self._weights
        total = np.zeros(len(self.chunks))
        for item, held in zip(self._sought, self._counts, strict=True):
            weight = np.zeros(len(self.chunks))
            if BODY in held:
                weight += weights.inside * self._weighted(BODY, held[BODY])
            if SYMBOL in held:
                weight += weights.declares * held[SYMBOL]
            total += item.word.weight * item.scorer.score_of(weight)
        return total

    def shares(self, scores: F64) -> list[float]:
        """What share of the question's worth the best chunks of each file hold together."""
        order = np.lexsort((-np.round(scores, DIGITS), self.owners))
        places = np.arange(len(order)) - np.array(self.edges)[self.owners]
        best = order[places < _TOGETHER]
        held = np.zeros((len(self._sought), len(best)), dtype=np.bool_)
        for number, counts in enumerate(self._counts):
            for part in counts.values():
                held[number] |= part[best] > 0
        there = np.logical_or.reduceat(held, is_new(self.owners[best]).nonzero()[0], axis=1)
        worth = np.array([[item.word.weight * item.scorer.idf] for item in self._sought])
        shares: list[float] = ((worth * there).sum(axis=0) / (worth.sum() or 1.0)).tolist()
        return shares

    def parts(self, number: int) -> dict[str, F64]:
        """By field, what the word of this number weighs in each chunk."""
        word = self._sought[number].word
        named = np.array([named_by(sign, word, self._weights) for sign in self.signs])
        found: dict[str, F64] = {PATH: named[self.owners]}
        for field, counts in self._counts[number].items():
            if field not in {NAME, PATH}:
                found[field] = self._weighted(field, counts)
        return found

    def declares(self, number: int) -> npt.NDArray[np.bool_]:
        """Which chunks declare the word of this number."""
        counts = self._counts[number].get(SYMBOL)
        return np.zeros(len(self.chunks), dtype=np.bool_) if counts is None else counts > 0


def named_by(sign: PathSigns, word: Word, weights: Weights) -> float:
    """What the words of a path add to a word's weight."""
    return weights.name * (word.term in sign.name) + weights.folder * (word.term in sign.folders)


def _norms(snapshot: Snapshot, chunks: I64, b: float) -> F64:
    """What the length of each chunk divides its frequencies by."""
    body = snapshot.schema.number(BODY) or 0
    lengths = snapshot.lengths(body, chunks).astype(np.float64)
    average = snapshot.token_count(body) / (snapshot.chunk_count or 1)
    found: F64 = 1 - b + b * lengths / (average or 1)
    return found


def _of_best_files(scores: F64, files: I64, most: int) -> I64:
    """The chunks of the files with the best chunks; of equal last ones all."""
    begins = is_new(files).nonzero()[0]
    if len(begins) <= most:
        return np.arange(len(files))
    best = np.round(np.maximum.reduceat(scores, begins), DIGITS)
    last = np.partition(best, len(best) - most)[len(best) - most]
    sizes = np.diff(begins, append=len(files))
    kept: I64 = np.repeat(best >= last, sizes).nonzero()[0]
    return kept
