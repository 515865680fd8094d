"""Adds to the scores of candidates how near their chunks and files are to a question's meaning.

Vectors find nothing: they re-score what words have found. A question of one word, as names and
paths are, is left to words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np

from index_format import Snapshot
from repo_mcp.search.ranked.query_terms import Query
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import VECTORS
from repo_mcp.vectors import packing
from repo_mcp.vectors.embedder import I8, Embedder
from repo_mcp.vectors.packing import F64

Passage = tuple[float, str, int]

_FEWEST_WORDS: Final = 2


class Meaning:
    """The embedder of an index, which says what questions mean."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def of(self, snapshot: Snapshot, query: Query, weights: Weights) -> QuestionMeaning | None:
        """The meaning of a question; None for one that is left to words."""
        if len(query.words) < _FEWEST_WORDS or len(query.text.split()) < _FEWEST_WORDS:
            return None
        vector = self._embedder.question(query.text)
        if not vector.any():
            return None
        return QuestionMeaning(snapshot, vector, self._embedder.width, weights)


class QuestionMeaning:
    """What one question means, compared with the chunks of a snapshot."""

    def __init__(self, snapshot: Snapshot, vector: I8, width: int, weights: Weights) -> None:
        self._snapshot = snapshot
        self._vector = vector
        self._width = width
        self._weights = weights
        # by chunk, what was added to its score
        self.added: dict[int, float] = {}

    def rescore(
        self, passages: Iterable[Passage], worth: Callable[[str], float]
    ) -> Iterator[Passage]:
        """The passages with what their meaning adds, which a kind of file makes worth less."""
        found = list(passages)
        best = max((score for score, _, _ in found), default=0.0)
        near = self._nearness({path: chunk for _, path, chunk in found})
        for score, path, chunk in found:
            first, cosines = near[path]
            added = 0.0
            if len(cosines):
                of_chunk, of_file = cosines[chunk - first], cosines.max()
                added = self._weights.chunk_meaning * float(of_chunk)
                added += self._weights.file_meaning * float(of_file)
            self.added[chunk] = added * best * worth(path)
            yield score + self.added[chunk], path, chunk

    def _nearness(self, chunks: dict[str, int]) -> dict[str, tuple[int, F64]]:
        """By path, the file's first chunk, and how near each of its chunks is: 0 to 1 and more."""
        found = {
            path: self._snapshot.chunk_rows(chunk, VECTORS, self._width)
            for path, chunk in chunks.items()
        }
        rows = np.frombuffer(b"".join(rows for _, rows in found.values()), dtype=np.uint8)
        cosines = packing.cosines(self._vector, rows.reshape(-1, self._width))
        near = np.maximum(cosines, 0) / self._weights.same_meaning
        ends = np.cumsum([len(rows) // self._width for _, rows in found.values()])[:-1]
        parts = np.split(near, ends)
        return {
            path: (first, part)
            for (path, (first, _)), part in zip(found.items(), parts, strict=True)
        }
