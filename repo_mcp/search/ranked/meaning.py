"""Raises candidates whose chunks and files are near to the meaning of a query.

Vectors of chunks find nothing: they re-score what words have found (declarations are found in
`near_declarations.py`). A query of one word, as names and
paths are, is left to words, and so is a long one: reports of defects speak of what is seen, which
many files are near to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from index_format import Snapshot
from index_format.records import replace
from repo_mcp.question.query import FEWEST_ASKED, Query
from repo_mcp.search.ranked.passage_table import MEANING, PassageTable
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import VECTORS
from repo_mcp.vectors import packing
from repo_mcp.vectors.packing import F64

if TYPE_CHECKING:
    from repo_mcp.search.ranked.near_declarations import NearDeclarations
    from repo_mcp.search.ranked.term_lookup import I64
    from repo_mcp.search.similar.rows import SymbolRows
    from repo_mcp.vectors.embedder import I8, Embedder

_FEWEST_WORDS: Final = 2
_MOST_WORDS: Final = 25
_ONE: Final = 1 << 30
_NO_COSINES: Final[F64] = np.zeros(0)
# the weight that stands for the factors that measured best; above it, words count less
MEASURED_BEST: Final = 0.7


class QueryEmbedding:
    """The meaning of queries, by the embedder of an index, and how much it counts.

    With a `weight` of 0 it counts nothing, with 1 words count nothing. Where meaning is `light`, it
    counts in questions of five words and more alone, less, and without the rest of the file.
    """

    def __init__(
        self,
        embedder: Embedder,
        weight: float = MEASURED_BEST,
        *,
        light: bool = False,
        rows: SymbolRows | None = None,
    ) -> None:
        """The `rows` of declarations, if given, are compared where meaning is `light`."""
        self._rows = rows
        self._embedder = embedder
        self._weight = weight
        self._light = light

    def of(self, snapshot: Snapshot, query: Query, weights: Weights) -> QueryMeaning | None:
        """The meaning of a query; None for one that is left to words."""
        fewest = FEWEST_ASKED if self._light else _FEWEST_WORDS
        if len(query.words) < _FEWEST_WORDS or len(query.text.split()) < fewest:
            return None
        is_light = self._light and not query.is_change
        if is_light:
            weights = replace(weights, nearest_meaning=0, file_meaning=0)
        share = _share(query, weights, self._weight)
        if not share:
            return None
        vector = self._embedder.embed_query(query.text)
        if not vector.any():
            return None
        words = min(1.0, (1 - self._weight) / (1 - MEASURED_BEST))
        return QueryMeaning(
            *(snapshot, vector, self._embedder.width, weights, share, words), is_light=self._light
        )

    def near(
        self, meaning: QueryMeaning | None, query: Query, weights: Weights
    ) -> NearDeclarations | None:
        """The declarations near to a question that describes what it is about."""
        if self._rows is None or meaning is None or not (self._light and weights.near):
            return None
        if query.is_change or query.written_name or meaning.snapshot.prefetches_terms:
            return None
        from repo_mcp.search.ranked.near_declarations import NearDeclarations  # noqa: PLC0415 long questions alone

        vector = self._embedder.embed_question(query.text)
        return NearDeclarations(meaning.snapshot, self._rows, vector, weights)


def _share(query: Query, weights: Weights, weight: float) -> float:
    """The factor of a query's exponents: the measured best, less or more by `weight`."""
    best = weights.changed if query.is_change else weights.described
    if len(query.text.split()) > _MOST_WORDS:
        best = 0.0
    if weight <= MEASURED_BEST:
        return best * weight / MEASURED_BEST
    above = (weight - MEASURED_BEST) / (1 - MEASURED_BEST)
    return best + (weights.described - best) * above


class QueryMeaning:
    """The meaning of one query, compared with the chunks of a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        vector: I8,
        width: int,
        weights: Weights,
        share: float,
        words: float,
        *,
        is_light: bool = False,
    ) -> None:
        """Its exponents are times `share`; `words` is the exponent of the score by words.

        It `is_light` where files have a learned order besides.
        """
        self.is_light = is_light
        self._share = share
        self._words = words
        self.snapshot = snapshot
        self.vector = vector
        self._width = width
        self._weights = weights
        # by path: the first chunk, and the cosine of each chunk
        self._known: dict[str, tuple[int, F64]] = {}

    def rescore(self, table: PassageTable) -> None:
        """Add the factor for the meaning of each passage and its file; 1 without vectors."""
        known = self._cosines(table.chunk_of_files())
        files = [known.get(path, (0, _NO_COSINES)) for path in table.paths]
        counts = np.array([len(cosines) for _, cosines in files])
        exponents = np.zeros(len(table))
        if counts.any():
            # those of all chunks of these files, one file behind the other
            of_chunks = self._exponents(np.concatenate([own for _, own in files]), counts)
            begins = np.cumsum(counts) - counts - np.array([first for first, _ in files])
            rows = (counts > 0)[table.files]
            exponents[rows] = of_chunks[(begins[table.files] + table.chunks)[rows]]
        if self._words != 1.0:
            table.scores = table.scores**self._words
        table.multiply(MEANING, np.exp(exponents * self._share))

    def of_files(self, table: PassageTable) -> dict[str, float]:
        """By path, the cosine of its nearest chunk."""
        chunks = table.chunk_of_files()
        cosines = self._cosines(chunks)
        return {path: float(own.max()) for path in chunks if len(own := cosines[path][1])}

    def _cosines(self, chunks: Mapping[str, int]) -> Mapping[str, tuple[int, F64]]:
        """By path: the first chunk, and the cosine of each chunk of the file; read once."""
        lacking = {path: chunk for path, chunk in chunks.items() if path not in self._known}
        rows = [self.snapshot.chunk_rows(chunk, VECTORS, self._width) for chunk in lacking.values()]
        packed = np.frombuffer(b"".join([data for _, data in rows]), dtype=np.uint8)
        cosines = _NO_COSINES
        if len(packed):
            cosines = packing.cosines(self.vector, packed.reshape(-1, self._width))
        behind = 0
        for path, (first, data) in zip(lacking, rows, strict=True):
            begin, behind = behind, behind + len(data) // self._width
            self._known[path] = first, cosines[begin:behind]
        return self._known

    def _exponents(self, cosines: F64, counts: I64) -> F64:
        """The exponent of each chunk, given the numbers of chunks of the files."""
        weights, counts = self._weights, counts[counts > 0]
        begins = np.cumsum(counts) - counts
        # of rounded numbers the sum does not depend on the order of adding
        sums = np.add.reduceat(np.rint(cosines * _ONE), begins) / (counts * _ONE)
        of_file = weights.nearest_meaning * np.maximum.reduceat(cosines, begins)
        of_file += weights.file_meaning * sums
        exponents: F64 = np.repeat(of_file, counts) + weights.chunk_meaning * cosines
        return exponents
