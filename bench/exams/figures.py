"""Figures of exams as others publish them, from the ranks of what is right.

`mrr` is 1 / the first right rank, `r@20` the share of what is right among the first twenty, `f1@4`
that of the first four files, `@5` the share of questions whose right places are all among the first
five, `any @5` of those that have one there.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked

_DEPTHS: Final = (1, 5, 10)
_RECALLED: Final = (5, 20)
_FEW: Final = 4


def ranks(found: Sequence[Ranked], right: Sequence[Place]) -> list[int]:
    """The first rank of each right place, from 1; 0 for one that is not found."""
    return [
        next((rank for rank, answer in enumerate(found, 1) if _shares(answer, place)), 0)
        for place in right
    ]


def _shares(answer: Ranked, place: Place) -> bool:
    is_whole = not (answer.last and place.last)
    is_beside = answer.first <= place.last and place.first <= answer.last
    return answer.path == place.path and (is_whole or is_beside)


def figures(found: Sequence[Ranked], right: Sequence[Place]) -> dict[str, float]:
    """The figures of one question."""
    at = ranks(found, right)
    told = [rank for rank in at if rank]
    few = sum(0 < rank <= _FEW for rank in at)
    row = {"mrr": 1 / min(told) if told else 0.0}
    row.update({f"r@{most}": sum(rank <= most for rank in told) / len(at) for most in _RECALLED})
    row[f"f1@{_FEW}"] = 2 * few / (min(len(found), _FEW) + len(at))
    row.update(
        {f"@{most}": float(sum(rank <= most for rank in told) == len(at)) for most in _DEPTHS}
    )
    row.update({f"any @{most}": float(any(rank <= most for rank in told)) for most in _DEPTHS})
    return row


def means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The means of many questions, and how many they are."""
    shares = {name: round(fmean(row[name] for row in rows), 3) for name in rows[0]}
    return {"questions": len(rows), **shares}
