"""Figures of answers of ten passages; reading stops after 400 lines of fifty passages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from bench.ranking import metrics
from bench.ranking.judgements import Judgement
from bench.ranking.metrics import Ranked

PASSAGES: Final = 10
MOST_PASSAGES: Final = 50
_READ: Final = 400
_HALF: Final = 2


def figures(name: str, found: Sequence[Ranked], item: Judgement) -> dict[str, float]:
    """The figures of one query of a set."""
    ten = found[:PASSAGES]
    by_file = metrics.by_file(ten, item.places)
    measured = {"files": by_file["ndcg@10"]}
    if name == "changes":
        return {**measured, "recall": by_file["recall@10"]}
    hits = [_shares(answer, item) for answer in ten]
    rank = hits.index(True) if any(hits) else None
    measured["lines"] = 0.0 if rank is None else 1 / math.log2(rank + 2)
    measured["first"] = float(rank == 0)
    if name == "documented":
        measured["half read"] = float(_lines_read(found, item))
        measured["lines of answer"] = float(sum(hit.last - hit.first + 1 for hit in ten))
    return measured


def _shares(answer: Ranked, item: Judgement) -> bool:
    place = item.places[0]
    is_within = answer.first <= place.last and place.first <= answer.last
    return answer.path == place.path and (is_within or not answer.last)


def _lines_read(found: Sequence[Ranked], item: Judgement) -> bool:
    """True if half of the place's lines are among the first lines of all answers."""
    place, left, seen = item.places[0], _READ, set[int]()
    for answer in found:
        last = min(answer.last, answer.first + left - 1)
        left -= max(last - answer.first + 1, 0)
        if answer.path == place.path:
            seen |= set(range(max(answer.first, place.first), min(last, place.last) + 1))
        if left <= 0:
            break
    return len(seen) * _HALF >= place.last - place.first + 1
