"""Plots: bars within their track, parts that make the whole, lines within the picture."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

from hypothesis import given, strategies as st

from repo_mcp.web.plots import WHOLE, place_on, quantile, series, share_bar, stack
from tests.repo_mcp.trees import FOREVER, served, write
from tests.repo_mcp.web.browsing import Browser
from tests.repo_mcp.web.test_hostile import check

NUMBERS = st.floats(0, 1e12)


@given(NUMBERS, NUMBERS)
def test_a_bar_is_as_long_as_its_share_and_seen(part: float, whole: float) -> None:
    bar = share_bar(part, whole)
    assert 0 <= bar.length <= WHOLE
    if 0 < part <= whole and part / whole > 0.01:
        assert math.isclose(bar.length, WHOLE * part / whole)
    assert (bar.length > 0) == (part > 0 and whole > 0)


@given(st.lists(NUMBERS, max_size=20))
def test_parts_follow_each_other_and_are_the_whole(parts: list[float]) -> None:
    bars = stack(parts)
    if not bars:
        assert sum(parts) <= 0
        return
    assert bars[0].start == 0
    for one, two in pairwise(bars):
        assert math.isclose(one.start + one.length, two.start, abs_tol=1e-6)
    assert math.isclose(bars[-1].start + bars[-1].length, WHOLE)


@given(st.lists(st.tuples(st.floats(0, 1e10), NUMBERS), max_size=20))
def test_a_line_stays_within_the_picture(values: list[tuple[float, float]]) -> None:
    line = series([x for x, _ in values], [y for _, y in values])
    assert all(0 <= x <= WHOLE and 0 <= y <= WHOLE for x, y in line.points)
    assert line.path.count("L") == max(len(values) - 1, 0)
    assert bool(line.area) == bool(values)


def test_equal_values_are_in_the_middle() -> None:
    assert place_on([5.0, 5.0]) == [50.0, 50.0]
    assert place_on([1.0, 3.0, 2.0]) == [0.0, 100.0, 50.0]


def test_quantiles_of_nothing_are_nothing() -> None:
    assert quantile([], 0.5) == 0.0
    assert quantile([7.0], 0.95) == 7.0


def test_the_status_page_has_the_growth_and_the_times(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {"a.py": "x = 1\n"})
    page = check(browser.get("/status"))
    assert page.all("path", "curve") == []
    write(tmp_path / "root", {"b.py": "y = 2\n", "c.py": "z = 3\n"})
    served(tmp_path / "root", tmp_path / "data").manager.refresh(FOREVER)
    page = check(browser.get("/status"))
    (curve,) = page.all("path", "curve")
    # both runs may have ended in the same second
    assert [point.split()[1] for point in curve["d"][1:].split("L")] == ["66.67", "0.00"]
    assert "repo.status" in page.texts("th")
