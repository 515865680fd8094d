"""Compares ranked search by words alone with ranked search by words and meaning, on one index."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Final

from bench.answers.figures import PASSAGES
from bench.ranking import metrics
from bench.ranking.judgements import Judgement
from bench.ranking.ours import ours

_WORDS_ALONE: Final = {"described": 0.0, "changed": 0.0}
_DRAWS: Final = 2000
_TAIL: Final = 0.025


def compare(items: Iterable[tuple[Path, Judgement]], indexes: Path) -> str:
    """NDCG@10 by files of both, and the difference with a 95 % interval over queries.

    Each query is asked in a tree, which may have changed since the query before.
    """
    pairs = []
    for root, item in items:
        answers = (
            ours(root, indexes / root.name, weights, "")(item.query, PASSAGES)
            for weights in (_WORDS_ALONE, {})
        )
        pairs.append([metrics.by_file(found, item.places)["ndcg@10"] for found in answers])
    words, vectors = (mean(column) for column in zip(*pairs, strict=True))
    low, high = interval([after - before for before, after in pairs])
    gain = f"{vectors - words:+.4f} [{low:+.4f}, {high:+.4f}]"
    return f"words {words:.4f}, with vectors {vectors:.4f}, {gain} of {len(pairs)}"


def interval(gains: list[float]) -> tuple[float, float]:
    """Bounds of the mean gain that hold in 95 % of draws."""
    chance = random.Random(1)
    drawn = sorted(mean(chance.choices(gains, k=len(gains))) for _ in range(_DRAWS))
    return drawn[int(_TAIL * _DRAWS)], drawn[int((1 - _TAIL) * _DRAWS) - 1]
