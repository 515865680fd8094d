"""Compiled code chooses the passages that Python chooses, or leaves the choice to it."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, settings, strategies as st

from code_graph.facts import DeclarationPlaces, DeclarationSpan, normalize_name
from code_graph.facts.records import DeclarationSpans
from index_format.native import pack_column, pack_signed, pack_steps
from repo_mcp.native import NATIVE
from repo_mcp.search.passage.narrowing import choose_passage, narrow_to_passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.text.files import Rows

pytestmark = [
    pytest.mark.differential,
    pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here"),
]

WORDS = ["alpha", "beta", "alphaBeta", "gamma_ray", "x", "# alpha", "  /* beta", "@x", "\t", "\f"]
OTHERS = ["İ alpha", "Σίσυφος", "b" * 140, "alpha " * 60, "a\r", "\x1c \x1d"]
NAMES = ["alpha", "Beta", "alpha_beta", "gamma", "_", "", "a.b", "operator\n", "Ärger"]


def places_of(items: list[tuple[str, int, int, int]]) -> DeclarationSpans:
    """Declarations of a name, a first line, lines that follow it, and how far before the parent."""
    names, starts, spans, parents = (list(column) for column in zip(*items, strict=True))
    return DeclarationSpans(
        [
            len(items),
            "".join(names),
            pack_column([len(name) for name in names]),
            pack_steps(starts),
            pack_column(spans),
            pack_signed([min(back, at) for at, back in enumerate(parents)]),
        ]
    )


@st.composite
def texts(draw: st.DrawFn, words: list[str]) -> bytes:
    lines = draw(st.lists(st.lists(st.sampled_from(words), max_size=3).map(" ".join), max_size=90))
    return "\n".join(lines).encode() + draw(st.sampled_from([b"", b"\n", b"\r\n"]))


def declarations(names: list[str]) -> st.SearchStrategy[list[tuple[str, int, int, int]]]:
    span = st.integers(0, 3) | st.integers(0, 60)
    one = st.tuples(st.sampled_from(names), st.integers(1, 80), span, st.integers(0, 4))
    return st.lists(one, min_size=1, max_size=9)


WEIGHTS = st.fixed_dictionaries(
    {}, optional={word: st.floats(0.1, 9) for word in ["alpha", "beta", "gamma_ray", "gamma", "b"]}
)


def both(
    text: bytes,
    first: int,
    last: int,
    matcher: TermMatcher,
    places: DeclarationSpans | None,
    quoted: tuple[int, ...] = (),
) -> tuple[object, object]:
    rows = Rows(text)
    spans: list[DeclarationSpan] = places.between(first, last) if places else []
    stored = cast("DeclarationPlaces | None", places)
    found = choose_passage(rows, first, last, matcher, stored, quoted)
    return found, narrow_to_passage(rows, first, last, matcher, spans, quoted)


@given(
    texts(WORDS), st.integers(1, 40), st.integers(0, 60), WEIGHTS, st.sampled_from(["", *NAMES[:4]])
)
@settings(max_examples=300)
def test_plain_text_gives_the_same_passage(
    text: bytes, first: int, more: int, weights: dict[str, float], name: str
) -> None:
    matcher = TermMatcher(weights, normalize_name(name))
    found, expected = both(text, first, first + more, matcher, None)
    assert found in (None, expected)
    if Rows(text).between(first, first + more) not in ([], [""]):
        assert found is not None


@given(
    texts([*WORDS, *OTHERS]),
    st.integers(1, 40),
    st.integers(0, 60),
    WEIGHTS,
    declarations(NAMES[:7]) | declarations(NAMES),
    st.sampled_from(["", *NAMES[:7], "alpha.beta", "betaalpha"]),
)
@settings(max_examples=500)
def test_declarations_give_the_same_passage_or_none(
    text: bytes,
    first: int,
    more: int,
    weights: dict[str, float],
    items: list[tuple[str, int, int, int]],
    name: str,
) -> None:
    matcher = TermMatcher(weights, normalize_name(name.replace(".", "")))
    found, expected = both(text, first, first + more, matcher, places_of(items))
    assert found in (None, expected)


@given(
    texts(WORDS),
    st.integers(1, 40),
    st.integers(0, 60),
    WEIGHTS,
    declarations(NAMES[:7]),
    st.sets(st.integers(0, 60), max_size=4),
)
@settings(max_examples=500)
def test_phrases_give_the_same_passage(
    text: bytes,
    first: int,
    more: int,
    weights: dict[str, float],
    items: list[tuple[str, int, int, int]],
    begins: set[int],
) -> None:
    there = len(Rows(text).between(first, first + more))
    quoted = tuple(first + line for line in sorted(begins) if line < there)
    found, expected = both(
        text, first, first + more, TermMatcher(weights), places_of(items), quoted
    )
    assert found in (None, expected)


def test_a_phrase_decides_which_passage_compiled_code_chooses() -> None:
    lines = [f"old line {number}" for number in range(1, 61)]
    text = "\n".join(lines).encode()
    items = [("Cache", 10, 10, 0), ("prune", 31, 4, 0)]
    found, expected = both(text, 1, 60, TermMatcher({"old": 1.0}), places_of(items), (32,))
    assert found == expected
    assert (getattr(found, "start", 0), getattr(found, "end", 0)) == (31, 35)


def test_declarations_of_plain_text_are_chosen_by_compiled_code() -> None:
    lines = [f"line {number}" for number in range(1, 61)]
    lines[19:23] = ["  // what is too old", "void prune(void)", "{", "  drop(old);"]
    items = [("Cache", 10, 40, 0), ("prune", 21, 4, 1), ("other", 40, 5, 2)]
    text = "\n".join(lines).encode()
    found, expected = both(text, 1, 60, TermMatcher({"old": 1.0}, "prune"), places_of(items))
    assert found == expected
    assert found is not None
    assert getattr(found, "symbol", "") == "Cache.prune"
    assert (getattr(found, "start", 0), getattr(found, "end", 0)) == (20, 25)


@pytest.mark.parametrize("place", range(5))
def test_damaged_columns_are_left_to_python(place: int) -> None:
    columns = list(places_of([("alpha", 1, 5, 0)]).columns)
    columns[place] = "word" if place == 0 else b"\3"

    class Damaged:
        def __init__(self) -> None:
            self.columns = tuple(columns)

    stored = cast("DeclarationPlaces", Damaged())
    assert choose_passage(Rows(b"alpha\n"), 1, 1, TermMatcher({"alpha": 1.0}), stored) is None
