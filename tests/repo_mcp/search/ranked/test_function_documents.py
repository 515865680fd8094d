"""Functions as documents: each line counts for the innermost function, and scores are BM25's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from code_graph.facts import Declaration
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.function_documents import FunctionDocuments
from repo_mcp.search.ranked.ranked_chunks import RankedChunk

FILE = RankedChunk("shop/till.py", 0, 1, 40, 1.0)
WEIGHTS = {"card": 2.0, "pay": 1.0, "total": 0.5}
WORDS = st.lists(st.sampled_from([*WEIGHTS, "other"]), max_size=3).map(" ".join)


def declared(name: str, first: int, last: int) -> Declaration:
    return Declaration("function", name, first, last, first, 0)


def documents(
    functions: Sequence[Declaration], rows: Sequence[str], weights: dict[str, float] = WEIGHTS
) -> FunctionDocuments:
    found = FunctionDocuments(TermMatcher(weights))
    found.add(FILE, functions, rows)
    return found


@given(bodies=st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=5))
def test_shares_are_those_of_the_words_in_the_lines(bodies: list[list[str]]) -> None:
    rows = [row for body in bodies for row in body]
    functions, first = [], 1
    for number, body in enumerate(bodies):
        functions.append(declared(f"f{number}", first, first + len(body) - 1))
        first += len(body)
    held, named = documents(functions, rows).shares()
    total = sum(WEIGHTS.values())
    has = [{word for row in body for word in row.split()} for body in bodies]
    expected = [sum(WEIGHTS.get(word, 0.0) for word in words) / total for words in has]
    assert held == pytest.approx(expected, abs=1e-4)
    assert named == [0.0] * len(bodies)


def test_a_line_is_of_the_innermost_function() -> None:
    rows = ["def outer():", "    def inner():", "        card", "    return inner"]
    held, _ = documents([declared("outer", 1, 4), declared("inner", 2, 3)], rows).shares()
    assert held == pytest.approx([0.0, 2.0 / 3.5], abs=1e-4)


def test_a_comment_is_of_the_function_below() -> None:
    rows = ["void f() {", "}", "// takes the card", "@Fast", "void g() {", "}"]
    held, _ = documents([declared("f", 1, 2), declared("g", 5, 6)], rows).shares()
    assert held == pytest.approx([0.0, 2.0 / 3.5], abs=1e-4)


def test_forms_of_a_word_count_once() -> None:
    weights = {"pays": 2.0, "pay": 1.0, "paying": 1.0}
    rows = ["def f():", "    pays, pay, paying", "def g():", "    pay"]
    found = documents([declared("f", 1, 2), declared("g", 3, 4)], rows, weights)
    assert found.shares()[0] == pytest.approx([1.0, 0.5], abs=1e-4)


def test_a_name_counts_more_than_a_line() -> None:
    rows = ["def pay():", "    return 1", "def g():", "    pay"]
    scores = documents([declared("pay", 1, 2), declared("g", 3, 4)], rows).scores()
    assert scores[0] == 1.0 > scores[1] > 0.0


def test_more_lines_with_a_word_are_worth_more_and_more_without_less() -> None:
    once = ["def f():", "    card", "    x", "    y"]
    twice = ["def g():", "    card", "    card", "    y"]
    long = ["def h():", "    card", *["    z"] * 40]
    functions = [declared("f", 1, 4), declared("g", 5, 8), declared("h", 9, 50)]
    scores = documents(functions, [*once, *twice, *long]).scores()
    assert scores[1] > scores[0] > scores[2] > 0.0


def test_a_file_that_is_not_known_as_it_is_may_have_all_words() -> None:
    found = FunctionDocuments(TermMatcher(WEIGHTS))
    found.add_unread(FILE)
    assert found.functions == [FILE]
    assert found.shares() == ([1.0], [0.0])


def test_no_functions_have_no_scores() -> None:
    found = FunctionDocuments(TermMatcher(WEIGHTS))
    found.add(FILE, [], ["card"])
    assert found.scores() == []
    assert found.shares() == ([], [])


@given(marks=st.lists(st.integers(0, 7), max_size=6))
def test_words_of_marks(marks: list[int]) -> None:
    found = TermMatcher(WEIGHTS).words_of(marks)
    assert np.array_equal(found, [[mark >> bit & 1 for bit in range(3)] for mark in marks] or found)
