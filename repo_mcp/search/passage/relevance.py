"""The estimated probability, in percent, that a hit of ranked search is relevant.

Scores of two queries can't be compared: they grow with the number and the rarity of the words. So a
hit's score is seen as a share of what the query's words could score, and of the score of the best
hit in another file. The constants were fitted to which hits are right (decision 0039).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from index_format.tuples import NamedTuple

# weights of the features in a hit's relevance; none lowers it
_STRENGTH: Final = 0.3
_COVERAGE: Final = 0.25
_LEAD: Final = 1.25
_FIRST: Final = 0.75
# bounds of shares whose logarithms count
_LEAST: Final = 0.02
_MOST_LEAD: Final = 3.0
# evidence, and how many of a hundred hits with as much are right; between them in a line
_RIGHT: Final = (
    (-4.5, 0.0),
    (-2.0, 2.0),
    (-1.1, 6.0),
    (-0.5, 9.0),
    (0.0, 14.0),
    (0.9, 21.0),
    (1.5, 33.0),
    (2.0, 54.0),
    (2.5, 80.0),
    (3.2, 87.0),
    (3.6, 95.0),
)


class RelevanceFeatures(NamedTuple):
    """The evidence for a hit."""

    # score, as a share of what the words of the query could score
    strength: float
    # share of the query's words that the passage and its path have, by their rarity
    coverage: float
    # score, as a share of that of the best hit in another file; infinite if there is none
    lead: float
    is_first: bool


def percent(evidence: RelevanceFeatures) -> int:
    """The estimate of one hit, from 0 to 100; it grows with every feature."""
    found = (
        _STRENGTH * math.log(max(evidence.strength, _LEAST))
        + _COVERAGE * evidence.coverage
        + _LEAD * math.log(min(max(evidence.lead, _LEAST), _MOST_LEAD))
        + _FIRST * evidence.is_first
    )
    at = bisect_right(_RIGHT, (found, math.inf))
    if at in {0, len(_RIGHT)}:
        return round(_RIGHT[max(at - 1, 0)][1])
    (low, few), (high, many) = _RIGHT[at - 1 : at + 1]
    return round(few + (many - few) * (found - low) / (high - low))


def leads(scored: Sequence[tuple[str, float]]) -> list[float]:
    """Of each hit, given as path and score: its score as a share of the best of another file."""
    first = max(scored, key=lambda hit: hit[1], default=("", 0.0))
    second = max((score for path, score in scored if path != first[0]), default=0.0)
    others = [second if path == first[0] else first[1] for path, _ in scored]
    return [
        score / other if other > 0 else math.inf
        for (_, score), other in zip(scored, others, strict=True)
    ]
