"""How much of a prompt is spoken of around each place: a namesake elsewhere has one word of it.

What a trace, a path or a message points to is certain without that; what a file that is meant
holds was weighed by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Candidate
from repo_mcp.bundle.model import Trait
from repo_mcp.bundle.weights import CandidateWeights
from repo_mcp.search.ranked.term_matcher import TermMatcher


def weigh(files: Files, candidates: Sequence[Candidate], telling: TermMatcher) -> None:
    """Make places count less that have less of the prompt around them than others."""
    ordered = sorted(candidates, key=lambda item: (-item.worth, item.path, item.first))[
        : CandidateWeights.MOST
    ]
    # a whole name weighs as much as many words: beside them it must not be all
    flat = TermMatcher({word: math.sqrt(weight) for word, weight in telling.weights.items()})
    held = [_held(files, item, flat) for item in ordered]
    best = max(held, default=0.0)
    if best <= 0:
        return
    for item, worth in zip(ordered, held, strict=True):
        factor = CandidateWeights.LEAST + (1 - CandidateWeights.LEAST) * worth / best
        item.worths = {
            evidence: count if evidence.has(Trait.CERTAIN) else count * factor
            for evidence, count in item.worths.items()
        }


def _held(files: Files, item: Candidate, telling: TermMatcher) -> float:
    source = files.source(item.path)
    if source is None:
        return 0.0
    first = max(1, item.first - CandidateWeights.AROUND)
    last = min(
        source.rows.count,
        min(item.last, item.first + CandidateWeights.LONGEST) + CandidateWeights.AROUND,
    )
    text = "\n".join([item.path, *source.rows.between(first, last)])
    return telling.worth(telling.finder.found_in(text))
