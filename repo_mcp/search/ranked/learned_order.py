"""The order of candidate files that was learned from what commits changed and what documents say.

It finds nothing: files that words have found get another score, and their passages keep their
shares of it. A query of few words is left to words, as names and paths are (decision 0208).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from code_graph.paths.path_kinds import DOCS
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.file_evidence import COLUMNS, file_evidence
from repo_mcp.search.ranked.file_passages import Passage, PathWeights
from repo_mcp.search.ranked.term_lookup import QueryStatistics
from repo_mcp.search.ranked.trees import learned_trees
from repo_mcp.search.ranked.weights import Weights

_DIGITS: Final = 6
_DOCS: Final = COLUMNS.index(DOCS)
_SCORE: Final = COLUMNS.index("score")


class LearnedOrder:
    """The learned order of one query's files."""

    def __init__(self, weights: Weights) -> None:
        """Order nothing yet."""
        self._trees = learned_trees()
        self._weights = weights
        self._factors: dict[str, float] = {}

    def rescore(
        self,
        passages: Sequence[Passage],
        scores: ChunkScores,
        shares: Sequence[float],
        statistics: QueryStatistics,
        paths: PathWeights,
        cosines: Mapping[str, tuple[float, float, float]] | None,
    ) -> list[Passage]:
        """The passages, each with its share of the new score of its file.

        The best file gets the best score there was, since scores of words say how likely a hit is.
        """
        if not passages:
            return []
        best, rows = file_evidence(scores, passages, shares, statistics, paths, cosines)
        # what was learned makes scores nearer than words do, so that more files have a passage
        logs = self._weights.learned * np.round(self._trees.sums(rows), _DIGITS) / self._trees.slope
        # what speaks of a change means code: no document is raised above it
        lowered = (rows[:, _DOCS] > 0) & (not paths.is_described)
        if paths.is_described:
            logs += self._weights.beside_learned * rows[:, _SCORE]
        top = next(iter(best.values()))
        most = float((logs if lowered.all() else logs[~lowered]).max())
        for path, value, is_lowered in zip(best, logs.tolist(), lowered.tolist(), strict=True):
            if best[path] > 0:
                factor = math.exp(value - most) * top / best[path]
                self._factors[path] = min(factor, 1.0) if is_lowered else factor
        return [(score * self.factor_of(path), path, chunk) for score, path, chunk in passages]

    def factor_of(self, path: str) -> float:
        """The factor of a file's scores."""
        return self._factors.get(path, 1.0)
