"""Ratios, slopes and comparisons of results say what they should."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from bench.compare import changes, of_benchmarks
from bench.suite.figures import ratio, slope, spread
from docs.bar_chart import Bar, bar_chart


def test_a_ratio_is_taken_round_by_round() -> None:
    assert ratio([1.0, 2.0, 4.0], [2.0, 4.0, 8.0]) == {"value": 0.5, "noise": 0.0}
    uneven = ratio([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 2.0])
    assert uneven["value"] == 0.75
    assert uneven["noise"] > 0.3
    assert ratio([1.0], [0.0]) == {}


def test_a_slope_is_the_exponent_of_growth() -> None:
    assert slope([10, 100, 1000], [3, 30, 300]) == 1.0
    assert slope([10, 100, 1000], [7, 7, 7]) == 0.0


def test_percentiles_are_of_seconds_as_milliseconds() -> None:
    found = spread([number / 1000 for number in range(1, 101)], [0.002] * 100)
    assert found == {"p50": 50.0, "p95": 95.0, "p99": 99.0, "cpu_p50": 2.0}


def test_a_comparison_tells_changes_from_noise() -> None:
    before = {"machine": {"cores": 2}, "a": {"value": 1.0, "noise": 0.1}, "b": 10, "same": 5}
    after = {"machine": {"cores": 4}, "a": {"value": 2.0, "noise": 0.1}, "c": 1, "same": 5}
    found = list(changes(before, after, 0.05))
    assert found[0].startswith("not the same machine")
    assert any("+100%*" in line and line.endswith("  a") for line in found)
    assert {"only before: b", "only after: c"} < set(found)
    assert not any("same" in line for line in found[1:])
    within = {"a": {"value": 1.1, "noise": 0.1}}
    assert "+10%~" in next(iter(changes({"a": before["a"]}, within, 0.05)))


def test_what_pytest_benchmark_stores_is_compared_by_medians_and_notes() -> None:
    def stored(median: float, multiple: float) -> dict[str, object]:
        stats = {"median": median, "iqr": median / 20, "rounds": 5}
        item = {"name": "test_open", "stats": stats, "extra_info": {"times": multiple}}
        return of_benchmarks({"machine_info": {"system": "Linux"}, "benchmarks": [item]})

    found = list(changes(stored(0.002, 1.0), stored(0.003, 1.5), 0.05))
    assert [line.split() for line in found] == [
        ["2", "3", "+50%*", "median_ms", "/", "open"],
        ["1", "1.5", "+50%", "noted", "/", "open", "/", "times"],
    ]


@pytest.mark.parametrize("values", [(1.0, 2.0), (0.001, 5000.0)])
def test_a_chart_is_well_formed_and_longer_bars_are_larger(values: tuple[float, float]) -> None:
    bars = [Bar("<ours>", values[0], is_ours=True), Bar("theirs & others", values[1])]
    drawn = ET.fromstring(bar_chart("a < b", "ms", bars))  # noqa: S314 it was made here
    widths = [float(item.get("width", "0")) for item in drawn.iter() if item.tag.endswith("rect")]
    assert 0 < widths[1] < widths[2] < widths[0]
