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
from repo_mcp.search.ranked.file_evidence import COLUMNS, Passage, best_by_path, file_evidence
from repo_mcp.search.ranked.file_passages import PathWeights
from repo_mcp.search.ranked.term_lookup import QueryStatistics
from repo_mcp.search.ranked.trees import Trees, learned_trees

_DIGITS: Final = 6
_DOCS: Final = COLUMNS.index(DOCS)


class LearnedOrder:
    """The learned order of one query's files."""

    def __init__(self, trees: Trees | None = None) -> None:
        """Learn nothing: `trees` are what was learned, by default the program's own."""
        self._trees = trees or learned_trees()
        self._factors: dict[str, float] = {}

    def rescore(
        self,
        passages: Sequence[Passage],
        scores: ChunkScores,
        shares: Sequence[float],
        statistics: QueryStatistics,
        weights: PathWeights,
        cosines: Mapping[str, tuple[float, float, float]] | None,
        share: float,
    ) -> list[Passage]:
        """The passages, each with its share of the new score of its file.

        The best file gets the best score there was, since scores of words say how likely a hit is.
        The smaller the `share`, the nearer are scores of files, and the fewer passages of one file
        stand before those of the next.
        """
        if not passages:
            return []
        files, rows = file_evidence(scores, passages, shares, statistics, weights, cosines)
        sums = np.round(self._trees.sums(rows), _DIGITS)
        # what speaks of a change means code: no document is raised above it
        lowered = (rows[:, _DOCS] > 0) & (not weights.is_described)
        best = best_by_path(passages)
        top = next(iter(best.values()))
        most = float((sums if lowered.all() else sums[~lowered]).max())
        for path, value, is_lowered in zip(files, sums.tolist(), lowered.tolist(), strict=True):
            if best[path] > 0:
                factor = math.exp((value - most) * share / self._trees.slope) * top / best[path]
                self._factors[path] = min(factor, 1.0) if is_lowered else factor
        return [(score * self.factor_of(path), path, chunk) for score, path, chunk in passages]

    def factor_of(self, path: str) -> float:
        """The factor of a file's scores."""
        return self._factors.get(path, 1.0)
