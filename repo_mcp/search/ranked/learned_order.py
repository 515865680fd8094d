"""The order of candidate files that was learned from what commits changed and what documents say.

It finds nothing: files that words have found get another score, and their passages keep their
shares of it. A query of few words is left to words, as names and paths are (decision 0208).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from code_graph.paths.path_kinds import DOCS
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.confidence import HitEvidence
from repo_mcp.search.ranked.file_evidence import COLUMNS, file_evidence
from repo_mcp.search.ranked.file_passages import Passage, PathWeights
from repo_mcp.search.ranked.term_lookup import F64, QueryStatistics
from repo_mcp.search.ranked.trees import read_trees
from repo_mcp.search.ranked.weights import Weights

LEARNED_ORDER: Final = "learned_order.json"
_DIGITS: Final = 6
_DOCS: Final = COLUMNS.index(DOCS)
_SCORE: Final = COLUMNS.index("score")
_CHUNK: Final = COLUMNS.index("chunk")
_TOGETHER: Final = COLUMNS.index("share")


class LearnedOrder:
    """The learned order of one query's files."""

    def __init__(self, weights: Weights) -> None:
        """Order nothing yet."""
        self._trees = read_trees(LEARNED_ORDER)
        self._weights = weights
        self._factors: dict[str, float] = {}
        # by path: the cosine of the nearest chunk, and the evidence
        self._near: dict[str, float] = {}
        self._rows: dict[str, F64] = {}

    def rescore(
        self,
        passages: Sequence[Passage],
        scores: ChunkScores,
        shares: Sequence[float],
        statistics: QueryStatistics,
        paths: PathWeights,
        cosines: Mapping[str, float] | None,
    ) -> list[Passage]:
        """The passages, each with its share of the new score of its file.

        The best file gets the best score there was, since scores of words say how likely a hit is.
        """
        if not passages:
            return []
        best, rows = file_evidence(scores, passages, shares, statistics, paths, cosines)
        self._rows = dict(zip(best, rows, strict=True))
        self._near = dict(cosines or {})
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

    def hit_evidence(self, paths: Iterable[str]) -> HitEvidence | None:
        """The evidence of these files for the query; None where it has no meaning."""
        found = [path for path in paths if path in self._near]
        if not found:
            return None
        rows = np.array([self._rows[path] for path in found])
        return HitEvidence(
            max(self._near.values()),
            max(self._near[path] for path in found),
            float(rows[:, _CHUNK].max()),
            float(rows[:, _TOGETHER].max()),
        )
