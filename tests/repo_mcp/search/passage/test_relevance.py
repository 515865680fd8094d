"""The estimated relevance of hits: bounded, growing with every feature."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import given, strategies as st

from repo_mcp.search.passage.relevance import RelevanceFeatures, leads, percent

SHARES = st.floats(0, 20)
EVIDENCE = st.builds(
    RelevanceFeatures, SHARES, st.floats(0, 1), SHARES | st.just(math.inf), is_first=st.booleans()
)


def _each(
    which: Callable[..., float], one: RelevanceFeatures, other: RelevanceFeatures
) -> RelevanceFeatures:
    strength, coverage, lead, first = map(which, one, other)
    return RelevanceFeatures(strength, coverage, lead, bool(first))


@given(EVIDENCE, EVIDENCE)
def test_more_of_every_feature_is_never_worth_less(
    one: RelevanceFeatures, other: RelevanceFeatures
) -> None:
    low, high = (_each(which, one, other) for which in (min, max))
    assert 0 <= percent(low) <= percent(high) <= 100


def test_a_weak_hit_among_equals_is_unlikely() -> None:
    assert percent(RelevanceFeatures(0.2, 0.4, 1.0, is_first=True)) < 25
    assert percent(RelevanceFeatures(0.1, 0.2, 0.7, is_first=False)) < 10


def test_a_hit_far_above_the_others_that_has_all_words_is_likely() -> None:
    assert percent(RelevanceFeatures(2.0, 1.0, 3.0, is_first=True)) >= 80


def test_the_lead_is_over_the_best_hit_of_another_file() -> None:
    assert leads([("a", 4.0), ("a", 3.0), ("b", 2.0), ("c", 1.0)]) == [2.0, 1.5, 0.5, 0.25]
    assert leads([("a", 4.0), ("a", 1.0)]) == [math.inf, math.inf]
    assert leads([]) == []


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.01, 100)), max_size=10))
def test_only_hits_of_the_first_file_can_lead(scored: list[tuple[str, float]]) -> None:
    best = max(scored, key=lambda hit: hit[1], default=("", 0.0))[0]
    for (path, _), lead in zip(scored, leads(scored), strict=True):
        assert path == best or lead <= 1
