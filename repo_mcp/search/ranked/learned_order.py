"""The order of candidate files that was learned from what commits changed and what documents say.

It finds nothing: files that words have found get another score, and their passages keep their
shares of it. A query of few words is left to words, as names and paths are (decision 0040).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from code_graph.paths.path_kinds import DOCS
from repo_mcp.search.ranked.confidence import HitEvidence
from repo_mcp.search.ranked.file_evidence import COLUMNS, FileEvidence
from repo_mcp.search.ranked.file_passages import PathWeights
from repo_mcp.search.ranked.passage_table import LEARNED, PassageTable
from repo_mcp.search.ranked.trees import read_trees
from repo_mcp.search.ranked.weights import Weights

LEARNED_ORDER: Final = "learned_order.json"
_DIGITS: Final = 6
_DOCS: Final = COLUMNS.index(DOCS)
_CHUNK: Final = COLUMNS.index("chunk")
_TOGETHER: Final = COLUMNS.index("share")


class LearnedOrder:
    """The learned order of one query's files."""

    def __init__(self, weights: Weights) -> None:
        """Order nothing yet."""
        self._trees = read_trees(LEARNED_ORDER)
        self._weights = weights
        self._evidence: FileEvidence | None = None

    def rescore(self, table: PassageTable, evidence: FileEvidence, paths: PathWeights) -> None:
        """Add the factor for the place of each file in the learned order.

        The best file gets the best score there was, since scores of words say how likely a hit is.
        """
        self._evidence = evidence
        best, rows = evidence.best, evidence.rows
        # what was learned makes scores nearer than words do, so that more files have a passage
        described, changed = self._weights.learned, self._weights.learned_changed
        exponent = described if paths.is_described else changed
        logs = exponent * np.round(self._trees.sums(rows), _DIGITS) / self._trees.slope
        # what speaks of a change means code: no document is raised above it
        lowered = (rows[:, _DOCS] > 0) & (not paths.is_described)
        top = max(best.values())
        factors: dict[str, float] = {}
        most = float((logs if lowered.all() else logs[~lowered]).max())
        for path, value, is_lowered in zip(best, logs.tolist(), lowered.tolist(), strict=True):
            if best[path] > 0:
                factor = math.exp(value - most) * top / best[path]
                factors[path] = min(factor, 1.0) if is_lowered else factor
        table.multiply_files(LEARNED, factors)

    def hit_evidence(self, paths: Iterable[str]) -> HitEvidence | None:
        """The evidence of these files for the query; None where it has no meaning."""
        evidence = self._evidence
        found = [path for path in paths if evidence and path in evidence.cosines]
        if evidence is None or not found:
            return None
        at = {path: number for number, path in enumerate(evidence.best)}
        rows = evidence.rows[[at[path] for path in found]]
        return HitEvidence(
            max(evidence.cosines.values()),
            max(evidence.cosines[path] for path in found),
            max((evidence.nearest.get(path, math.nan) for path in found), default=math.nan),
            float(rows[:, _CHUNK].max()),
            float(rows[:, _TOGETHER].max()),
        )
