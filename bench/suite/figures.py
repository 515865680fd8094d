"""Figures of repeated measures: medians, percentiles, and ratios with their noise."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from bench.timing import percentile


class Spread(NamedTuple):
    """Milliseconds of many answers."""

    p50: float
    p95: float
    p99: float
    cpu_p50: float


class Ratio(NamedTuple):
    """One median to another, from measures that took turns; half the range of the middle half."""

    value: float
    noise: float


def spread(wall: Sequence[float], cpu: Sequence[float]) -> dict[str, float]:
    """Percentiles of seconds as milliseconds."""
    p50, p95, p99 = (_milliseconds(percentile(wall, share)) for share in (0.5, 0.95, 0.99))
    return Spread(p50, p95, p99, _milliseconds(statistics.median(cpu)))._asdict()


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 3)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Round by round: what was measured in the same round met the same machine."""
    each = [one / other for one, other in zip(ours, theirs, strict=True) if other]
    if not each:
        return {}
    value = statistics.median(each)
    quarters = statistics.quantiles(each, n=4) if len(each) > 2 else [min(each), 0, max(each)]
    return Ratio(round(value, 3), round((quarters[2] - quarters[0]) / 2 / value, 3))._asdict()


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent with which values grow with sizes: the line through their logarithms."""
    found = statistics.linear_regression([*map(log, sizes)], [*map(log, values)])
    return round(found.slope, 2)
