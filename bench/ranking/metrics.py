"""Metrics of a ranking: recall at a few depths, reciprocal rank, and NDCG at ten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.ranking.judgements import Place

DEPTHS: Final = (1, 5, 10, 50)
DEEPEST: Final = DEPTHS[-1]
_NDCG_DEPTH: Final = 10
# the first so many lines of all answers count, so that long answers are no advantage
READ: Final = 200
IN_READ: Final = f"recall@{READ}lines"
NAMES: Final = ("ndcg@10", "mrr", *(f"recall@{depth}" for depth in DEPTHS))


@dataclass(frozen=True, slots=True, order=True)
class Ranked:
    """A range of lines in an answer; 0 to 0 means the whole file."""

    path: str
    first: int = 0
    last: int = 0


def by_file(answers: Sequence[Ranked], places: Sequence[Place]) -> dict[str, float]:
    """Figures for files: each counts at its first rank."""
    order = dict.fromkeys(answer.path for answer in answers)
    relevant = {place.path for place in places}
    return _figures([path in relevant for path in order], len(relevant))


def by_lines(answers: Sequence[Ranked], places: Sequence[Place]) -> dict[str, float]:
    """Figures for lines: an answer is right when it shares lines with a place not yet found."""
    left = list(places)
    hits = []
    for answer in answers:
        found = next((place for place in left if _shares(answer, place)), None)
        if found is not None:
            left.remove(found)
        hits.append(found is not None)
    return {**_figures(hits, len(places)), IN_READ: _read(answers, places)}


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean figures of many queries."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def _read(answers: Sequence[Ranked], places: Sequence[Place]) -> float:
    """The share of places within the first so many lines of the answers."""
    left, found = READ, set[Place]()
    for answer in answers:
        last = min(answer.last, answer.first + left - 1)
        part = Ranked(answer.path, answer.first, last)
        found.update(place for place in places if _shares(part, place))
        left -= last - answer.first + 1
        if not left:
            break
    return len(found) / len(places)


def _shares(answer: Ranked, place: Place) -> bool:
    return answer.path == place.path and answer.first <= place.last and place.first <= answer.last


def _figures(hits: Sequence[bool], relevant: int) -> dict[str, float]:
    ranks = [rank for rank, hit in enumerate(hits[:DEEPEST], 1) if hit]
    gain = math.fsum(1 / math.log2(rank + 1) for rank in ranks if rank <= _NDCG_DEPTH)
    best = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(relevant, _NDCG_DEPTH) + 1))
    figures = {"ndcg@10": gain / best, "mrr": 1 / ranks[0] if ranks else 0.0}
    for depth in DEPTHS:
        figures[f"recall@{depth}"] = sum(rank <= depth for rank in ranks) / relevant
    return figures
