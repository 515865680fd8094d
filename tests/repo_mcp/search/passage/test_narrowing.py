"""Passages: the best declaration of a chunk, or the best stretch of its lines."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import DeclarationSpan, normalize_name
from repo_mcp.search.passage.narrowing import narrow_to_passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.text.files import Rows

LINES = [f"line {number}" for number in range(1, 61)]


def rows(changes: dict[int, str]) -> Rows:
    return Rows("\n".join(changes.get(at, line) for at, line in enumerate(LINES, 1)).encode())


def test_a_short_declaration_is_shown_whole() -> None:
    text = rows({20: "def fetch(url):", 23: "    return cache[url]"})
    place = DeclarationSpan("Client.fetch", 20, 24)
    found = narrow_to_passage(text, 1, 60, TermMatcher({"cache": 1.0}), [place])
    assert (found.start, found.end, found.symbol) == (20, 24, "Client.fetch")


@pytest.mark.parametrize(("last", "shown"), [(48, (9, 48)), (49, (39, 49))])
def test_a_declaration_of_forty_lines_is_short_and_one_of_more_is_not(
    last: int, shown: tuple[int, int]
) -> None:
    text = rows({9: "def fetch(url):", 41: "cache = lookup(url)"})
    place = DeclarationSpan("fetch", 9, last)
    found = narrow_to_passage(text, 1, 60, TermMatcher({"cache": 1.0}), [place])
    assert (found.start, found.end) == shown


def test_of_a_long_declaration_the_best_stretch_is_shown() -> None:
    text = rows({10: "def fetch(url):", 40: "cache = lookup(url)", 41: "return cache"})
    place = DeclarationSpan("fetch", 10, 55)
    found = narrow_to_passage(text, 1, 60, TermMatcher({"cache": 1.0, "lookup": 1.0}), [place])
    assert (found.start, found.end, found.symbol) == (38, 49, "fetch")
    assert found.terms == {"cache", "lookup"}


def test_the_declaration_that_has_all_words_wins_over_one_that_has_one_often() -> None:
    text = rows({3: "cache cache cache", 4: "cache", 30: "cache", 36: "lookup"})
    places = [DeclarationSpan("one", 2, 8), DeclarationSpan("two", 29, 40)]
    found = narrow_to_passage(text, 1, 60, TermMatcher({"cache": 1.0, "lookup": 1.0}), places)
    assert found.symbol == "two"


@pytest.mark.parametrize("mark", ["//", "/*", "*", "#", "--", ";", "%", "@", "[", "<!--"])
def test_a_comment_decorator_or_attribute_above_a_declaration_belongs_to_it(mark: str) -> None:
    text = rows({19: f"  {mark} drops what is too old", 20: "def prune(self):"})
    places = [DeclarationSpan("prune", 20, 25), DeclarationSpan("other", 30, 35)]
    found = narrow_to_passage(text, 1, 60, TermMatcher({"old": 1.0}), places)
    assert (found.symbol, found.start, found.end) == ("prune", 19, 25)


@pytest.mark.parametrize("row", ["#include <old.h>", "#define OLD 1", "#pragma old", "#if OLD"])
def test_a_preprocessor_line_above_a_declaration_belongs_to_it(row: str) -> None:
    text = rows({19: row, 20: "enum state {"})
    found = narrow_to_passage(
        text, 1, 60, TermMatcher({"old": 1.0}), [DeclarationSpan("state", 20, 25)]
    )
    assert (found.symbol, found.start) == ("state", 19)


def test_code_above_a_declaration_does_not_belong_to_it() -> None:
    text = rows({19: "int prune_old(void);", 20: "enum state {", 25: "};"})
    found = narrow_to_passage(
        text, 1, 60, TermMatcher({"old": 1.0}), [DeclarationSpan("state", 20, 25)]
    )
    assert (found.symbol, found.start, found.end) == ("", 17, 21)


def test_the_head_of_a_long_declaration_is_shown_with_what_follows() -> None:
    text = rows({10: "def fetch(url):"})
    found = narrow_to_passage(
        text, 1, 60, TermMatcher({"fetch": 1.0}), [DeclarationSpan("fetch", 10, 55)]
    )
    assert (found.start, found.end) == (10, 33)


def test_a_line_declares_alone_if_the_query_means_it() -> None:
    text = rows({20: "struct state {", 22: "  int old_size;", 24: "  int size;"})
    places = [DeclarationSpan("state", 20, 26), DeclarationSpan("old_size", 22, 22)]
    meant = narrow_to_passage(text, 1, 60, TermMatcher({"old_size": 1.0}, "oldsize"), places)
    assert (meant.symbol, meant.start, meant.end) == ("old_size", 20, 24)
    other = narrow_to_passage(text, 1, 60, TermMatcher({"size": 1.0}), places)
    assert (other.symbol, other.start, other.end) == ("state", 20, 26)


def test_a_declaration_is_found_by_a_name_near_the_query() -> None:
    text = rows({20: "def is_end_stream(self):"})
    places = [DeclarationSpan("is_end_stream", 20, 24)]
    matcher = TermMatcher({"isendstrem": 0.0}, "isendstrem", {"isendstream"})
    found = narrow_to_passage(text, 1, 60, matcher, places)
    assert (found.symbol, found.start, found.end) == ("is_end_stream", 20, 24)


def test_a_name_counts_for_its_declaration() -> None:
    text = rows({20: "def fetch(url):", 40: "x = fetch(1)", 41: "y = fetch(2)"})
    places = [DeclarationSpan("fetch", 20, 24), DeclarationSpan("use", 38, 44)]
    found = narrow_to_passage(text, 1, 60, TermMatcher({"fetch": 1.0}), places)
    assert found.symbol == "fetch"


def test_letters_that_only_look_like_a_word_are_no_match() -> None:
    text = rows({5: "concatenate", 50: "a cat"})
    found = narrow_to_passage(text, 1, 60, TermMatcher({"cat": 1.0}))
    assert (found.start, found.end, set(found.terms)) == (48, 52, {"cat"})


def test_without_a_match_the_first_lines_are_shown_without_terms() -> None:
    found = narrow_to_passage(rows({}), 11, 60, TermMatcher({"absent": 1.0}))
    assert (found.start, found.end, found.terms, found.symbol) == (11, 15, frozenset(), "")


WORDS = st.sampled_from(["alpha", "beta", "alphaBeta", "x", "", "İ alpha", "Σίσυφος", "gamma_ray"])


@given(
    st.lists(st.lists(WORDS, max_size=4).map(" ".join), min_size=1, max_size=40),
    st.integers(1, 40),
    st.integers(0, 40),
    st.lists(st.tuples(st.integers(1, 45), st.integers(0, 30)), max_size=5),
)
def test_a_passage_is_in_the_file_and_has_its_terms(
    lines: list[str], first: int, more: int, spans: list[tuple[int, int]]
) -> None:
    text = Rows(("\n".join(lines) + "\n").encode())
    first = min(first, text.count)
    last = min(first + more, text.count)
    telling = TermMatcher({"alpha": 2.0, "beta": 1.0, "σίσυφος": 3.0})
    places = [DeclarationSpan(f"f{a}", a, a + size) for a, size in spans]
    places.sort(key=lambda place: place.start_line - place.end_line)
    found = narrow_to_passage(text, first, last, telling, places)
    assert 1 <= found.start <= found.end <= text.count
    shown = [row.strip("\r") for row in lines[found.start - 1 : found.end]]
    assert found.snippet.split("\n") == shown
    held = telling.finder.found_in("\n".join(lines[first - 1 : last]))
    assert found.terms <= held
    assert bool(found.terms) == bool(held)


NAMES = st.text("aB_.Σς\n", max_size=5)


@given(
    st.lists(st.tuples(NAMES, NAMES), max_size=6),
    NAMES.map(lambda name: normalize_name(name.replace(".", ""))),
    st.frozensets(NAMES.map(normalize_name), max_size=3),
)
def test_declarations_are_meant_by_their_names(
    given_names: list[tuple[str, str]], name: str, near: frozenset[str]
) -> None:
    """All names are compared at once, with the outcome of one by one."""
    places = [
        DeclarationSpan(plain, 1, 1, at, lambda at: f"{given_names[at][1]}.{given_names[at][0]}")
        for at, (plain, _) in enumerate(given_names)
    ]

    def in_one(text: str) -> str:
        return normalize_name(text.replace(".", ""))

    def is_meant(place: DeclarationSpan) -> bool:
        whole = in_one(place.qualified)
        is_name = name.endswith(in_one(place.name)) and whole.endswith(name)
        return normalize_name(place.name) in near or bool(name and is_name)

    expected = [number for number, place in enumerate(places) if is_meant(place)]
    assert TermMatcher({"x": 1.0}, name, near).find_meant(places) == expected
