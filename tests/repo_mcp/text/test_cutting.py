"""Long lines are cut for display, with marks for omitted text."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.text.cutting import MORE, cut, cut_around, cut_lines, cut_list, cut_words

TEXTS = st.text("ab…", max_size=40)
SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted).map(tuple), max_size=4
)


def test_a_short_line_stays_as_it_is() -> None:
    assert cut("abc", 3) == "abc"
    assert cut_around("abc", [(1, 2)], 3, 1) == ("abc", ((1, 2),))


def test_omitted_text_is_marked() -> None:
    assert cut("abcdef", 3) == f"abc {MORE}"
    assert cut_around("abcdefgh", [(4, 6)], 3, 1) == (f"{MORE} def {MORE}", ((3, 5),))
    assert cut_around("abcdefgh", [], 3, 1) == (f"abc {MORE}", ())
    assert cut_around("abcdefgh", [(6, 8)], 4, 1) == (f"{MORE} fgh", ((3, 5),))


@given(TEXTS, SPANS, st.integers(1, 12), st.integers(0, 5))
def test_a_span_in_the_cut_text_has_its_original_text(
    text: str, spans: list[tuple[int, int]], longest: int, before: int
) -> None:
    inside = sorted((start, stop) for start, stop in spans if start < stop <= len(text))
    shown, kept = cut_around(text, inside, longest, before)
    assert len(shown) <= longest + 2 * len(f"{MORE} ")
    for (start, stop), (left, right) in zip(inside, kept, strict=False):
        assert text[start:stop].startswith(shown[left:right])
        assert right > left


@pytest.mark.parametrize(
    ("text", "longest", "cut"),
    [
        ("a, b", 30, "a, b"),
        # names are whole, and those left out are counted
        (f"found: aa, bb, {'c' * 30}, dd", 40, "found: aa, bb, 2 more"),
        (f"found: aa, bb, {'c' * 30}, 7 more", 40, "found: aa, bb, 8 more"),
        (f"found: aa, bb, {'c' * 30} and 7 more", 40, "found: aa, bb, 8 more"),
        (f"found: aa; bb (p:1); {'c' * 30} (p:2); … 7 more", 40, "found: aa; bb (p:1), 8 more"),
        # what is no list ends with a word
        ("it can not be read, since there is nothing of that", 30, "it can not be read, since …"),
        ("x" * 40, 30, "x" * 29 + "…"),
    ],
)
def test_a_list_is_cut_between_names(text: str, longest: int, cut: str) -> None:
    assert cut_list(text, longest) == cut
    assert len(cut_list(text, longest)) <= longest


@pytest.mark.parametrize(
    ("text", "longest", "margin", "cut"),
    [
        ("one\ntwo", 7, 0, "one\ntwo"),
        ("one\ntwo\nsix", 7, 0, "one\ntwo\n… 1 more line"),
        ("one\ntwo\nsix", 7, 1, "one\n… 2 more lines"),
        ("a long line\ntwo", 6, 0, "a long …\n… 1 more line"),
    ],
)
def test_lines_that_are_cut_off_are_counted(text: str, longest: int, margin: int, cut: str) -> None:
    assert cut_lines(text, longest, margin) == cut


@pytest.mark.parametrize(
    ("text", "longest", "cut"),
    [
        ("one two", 7, "one two"),
        ("one two six", 8, "one two … 1 more word"),
        ("one two six", 6, "one … 2 more words"),
        ("onetwosix", 3, "one … 1 more word"),
    ],
)
def test_words_that_are_cut_off_are_counted(text: str, longest: int, cut: str) -> None:
    assert cut_words(text, longest) == cut
