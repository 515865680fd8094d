"""Lines and the words in them are the same with compiled code and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.analysis.marking import Marker
from repo_mcp.analysis.words import terms
from repo_mcp.line_spans import LINES, Lines, plain_span, span
from repo_mcp.text import Rows, decode, lines
from tests.compiled.sanitized import fuzzed

CHARACTERS = "aBcX_19 \n\r.\0\u00e9\u0130\u03a3\u03c2\u4e2d\U00010428"
TEXTS = st.lists(
    st.sampled_from(CHARACTERS) | st.sampled_from(["parseHTTP", "x" * 63, "Y" * 65]), max_size=40
).map("".join)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"])


@given(TEXTS, st.integers(-1, 9), st.integers(-1, 9))
def test_spans_are_those_of_the_plain_way(text: str, first: int, last: int) -> None:
    data = text.encode()
    assert span(data, first, last) == plain_span(data, first, last)


@given(TEXTS, ENCODINGS, st.integers(1, 9), st.integers(0, 9))
def test_rows_are_those_of_the_whole_text(text: str, encoding: str, first: int, more: int) -> None:
    data = text.encode(encoding, "replace")
    whole, rows = decode(data), Rows(data)
    assert rows.is_text == (whole is not None)
    expected = lines(whole.content) if whole else []
    assert rows.count == len(expected)
    assert rows.between(first, first + more) == expected[first - 1 : first + more]


@pytest.mark.parametrize("compiled", [None, LINES], ids=["plain", "compiled"])
@given(text=TEXTS, others=st.lists(TEXTS, max_size=3), most=st.sampled_from([2, 5, 100]))
def test_marks_say_what_terms_each_line_gives(
    compiled: Lines | None, text: str, others: list[str], most: int
) -> None:
    asked = list(dict.fromkeys(term for item in (text, *others) for term in terms(item)))[:most]
    rows = text.split("\n")
    given_by = [terms(row) for row in rows]
    expected = {
        number: sum(1 << bit for bit, term in enumerate(asked) if term in held)
        for number, held in enumerate(given_by)
        if not set(held).isdisjoint(asked)
    }
    marker = Marker(asked, compiled)
    found = marker.marks(rows)
    assert list(found.items()) == list(expected.items())
    assert [marker.mark(row) for row in rows] == [expected.get(at, 0) for at in range(len(rows))]
    assert all(marker.terms_of(mark) <= set(given_by[at]) for at, mark in found.items())


def test_half_a_character_is_no_reason_to_fail() -> None:
    assert Marker(["ab"]).marks(["x", "ab \ud800"]) == {1: 1}


def test_no_text_makes_it_touch_foreign_memory(tmp_path: Path) -> None:
    fuzzed("repo_mcp/_lines.c", "fuzz_lines.py", tmp_path)
