"""Figures against values worked out by hand."""

from __future__ import annotations

import pytest

from bench.ranking import metrics
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked

_TWO = (Place("a.c"), Place("b.c"))


def files(*paths: str) -> list[Ranked]:
    return [Ranked(path) for path in paths]


def test_two_right_files_first_and_third() -> None:
    # (1/log2(2) + 1/log2(4)) / (1/log2(2) + 1/log2(3)) = 1.5 / 1.630930
    assert metrics.by_file(files("a.c", "x.c", "b.c"), _TWO) == {
        "ndcg@10": pytest.approx(0.919721, abs=1e-6),
        "mrr": 1.0,
        "recall@1": 0.5,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "recall@50": 1.0,
    }


def test_a_right_file_after_ten_wrong_ones_has_no_gain() -> None:
    wrong = [f"{number}.h" for number in range(10)]
    figures = metrics.by_file(files(*wrong, "a.c"), _TWO[:1])
    assert figures["ndcg@10"] == 0.0
    assert figures["mrr"] == pytest.approx(1 / 11)
    assert (figures["recall@10"], figures["recall@50"]) == (0.0, 1.0)


def test_what_comes_after_fifty_files_does_not_count() -> None:
    wrong = [f"{number}.h" for number in range(50)]
    assert set(metrics.by_file(files(*wrong, "a.c"), _TWO[:1]).values()) == {0.0}


def test_no_answers_are_worth_nothing() -> None:
    assert set(metrics.by_file([], _TWO).values()) == {0.0}


def test_a_file_counts_where_it_is_first_named() -> None:
    once = metrics.by_file(files("x.c", "a.c", "b.c"), _TWO)
    assert metrics.by_file(files("x.c", "x.c", "a.c", "a.c", "b.c"), _TWO) == once


@pytest.mark.parametrize(
    ("first", "last", "right"), [(1, 9, 0.0), (1, 10, 1.0), (20, 30, 1.0), (21, 30, 0.0)]
)
def test_one_line_in_common_is_enough(first: int, last: int, right: float) -> None:
    found = metrics.by_lines([Ranked("a.c", first, last)], [Place("a.c", 10, 20)])
    assert found["recall@1"] == right


def test_lines_of_another_file_are_wrong() -> None:
    found = metrics.by_lines([Ranked("b.c", 10, 20)], [Place("a.c", 10, 20)])
    assert found["recall@50"] == 0.0


def test_a_definition_found_twice_counts_once() -> None:
    places = [Place("a.c", 1, 5), Place("a.c", 11, 15)]
    found = metrics.by_lines([Ranked("a.c", 1, 3), Ranked("a.c", 4, 5)], places)
    assert found["recall@5"] == 0.5


@pytest.mark.parametrize(
    ("answers", "read"),
    [
        ([Ranked("x.c", 1, 199), Ranked("a.c", 1, 10)], 0.5),
        ([Ranked("x.c", 1, 200), Ranked("a.c", 1, 10)], 0.0),
        ([Ranked("x.c", 1, 198), Ranked("a.c", 4, 5), Ranked("a.c", 11, 12)], 0.5),
        ([Ranked("a.c", 1, 400)], 1.0),
        ([Ranked("x.c", 1, 190), Ranked("a.c", 3, 400)], 1.0),
        ([Ranked("x.c", 1, 194), Ranked("a.c", 5, 400)], 0.5),
        ([], 0.0),
    ],
)
def test_lines_are_read_in_order_until_there_were_enough(
    answers: list[Ranked], read: float
) -> None:
    places = [Place("a.c", 1, 5), Place("a.c", 11, 15)]
    assert metrics.by_lines(answers, places)[metrics.IN_READ] == read


def test_the_mean_is_that_of_the_queries() -> None:
    rows = [metrics.by_file(files(path), _TWO[:1]) for path in ("a.c", "x.c")]
    assert metrics.mean(rows) == dict.fromkeys(metrics.NAMES, 0.5)
