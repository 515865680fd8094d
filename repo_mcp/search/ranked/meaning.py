"""Raises candidates whose chunks and files are near to a question's meaning.

Vectors find nothing: they re-score what words have found. A question of one word, as names and
paths are, is left to words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from index_format import Snapshot
from repo_mcp.search.ranked.query_terms import Query
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import VECTORS
from repo_mcp.vectors import packing
from repo_mcp.vectors.embedder import I8, Embedder

Passage = tuple[float, str, int]

_FEWEST_WORDS: Final = 2
# the weight that stands for the factors that measured best; above it, words count less
MEASURED_BEST: Final = 0.7


class Meaning:
    """What questions mean, by the embedder of an index, and how much it counts.

    With a `weight` of 0 it counts nothing, with 1 words count nothing.
    """

    def __init__(self, embedder: Embedder, weight: float = MEASURED_BEST) -> None:
        self._embedder = embedder
        self._weight = weight

    def of(self, snapshot: Snapshot, query: Query, weights: Weights) -> QuestionMeaning | None:
        """The meaning of a question; None for one that is left to words."""
        if len(query.words) < _FEWEST_WORDS or len(query.text.split()) < _FEWEST_WORDS:
            return None
        vector = self._embedder.question(query.text)
        if not vector.any():
            return None
        return QuestionMeaning(snapshot, vector, self._embedder.width, weights, self._weight)


class QuestionMeaning:
    """What one question means, compared with the chunks of a snapshot."""

    def __init__(
        self, snapshot: Snapshot, vector: I8, width: int, weights: Weights, weight: float
    ) -> None:
        self._share = min(1.0, weight / MEASURED_BEST)
        self._words = min(1.0, (1 - weight) / (1 - MEASURED_BEST))
        self._snapshot = snapshot
        self._vector = vector
        self._width = width
        self._weights = weights
        self._factors: dict[int, float] = {}

    def rescore(self, passages: Iterable[Passage]) -> Iterator[Passage]:
        """The passages, each score times the factor for its meaning."""
        found = list(passages)
        near = self._nearness({path: chunk for _, path, chunk in found})
        for score, path, chunk in found:
            first, cosines, of_file = near[path]
            if cosines:
                exponent = of_file + self._weights.chunk_meaning * cosines[chunk - first]
                self._factors[chunk] = math.exp(exponent * self._share)
            words = score if self._words == 1.0 else score**self._words
            yield words * self.factor_of(chunk), path, chunk

    def factor_of(self, chunk: int) -> float:
        """The factor for the meaning of a chunk and its file; 1 without vectors."""
        return self._factors.get(chunk, 1.0)

    def _nearness(self, chunks: dict[str, int]) -> dict[str, tuple[int, list[float], float]]:
        """By path: the first chunk, the cosine of each chunk, and what the file adds."""
        rows = {
            path: self._snapshot.chunk_rows(chunk, VECTORS, self._width)
            for path, chunk in chunks.items()
        }
        packed = np.frombuffer(b"".join(data for _, data in rows.values()), dtype=np.uint8)
        cosines = packing.cosines(self._vector, packed.reshape(-1, self._width)).tolist()
        found, begin = {}, 0
        for path, (first, data) in rows.items():
            end = begin + len(data) // self._width
            held = cosines[begin:end]
            found[path] = first, held, self._of_file(held)
            begin = end
        return found

    def _of_file(self, cosines: list[float]) -> float:
        """What the chunks of a file add to the exponent of each."""
        if not cosines:
            return 0.0
        mean = math.fsum(cosines) / len(cosines)
        return self._weights.nearest_meaning * max(cosines) + self._weights.file_meaning * mean
