"""Lines and the words in them are the same with compiled code and without."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.facts.columns import check_column, pack, pack_steps
from repo_mcp.languages.facts.records import plain_units
from repo_mcp.text.files import Rows, decode, lines
from repo_mcp.text.line_spans import LINES, Lines, plain_span, span
from repo_mcp.text.marking import Marker
from repo_mcp.text.words import terms
from tests.index_format.native.sanitized import fuzzed

needs_compiled = pytest.mark.skipif(LINES is None, reason="nothing was compiled here")
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
    assert (rows.count, rows.is_empty) == (len(expected), not expected)
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


@needs_compiled
@given(
    st.lists(st.tuples(st.integers(-9, 2**33), st.integers(0, 2**20)), max_size=30),
    st.integers(-1, 2**33),
    st.integers(0, 50),
)
def test_units_are_those_of_the_plain_way(
    units: list[tuple[int, int]], first: int, more: int
) -> None:
    assert LINES is not None
    starts, spans = pack_steps([start for start, _ in units]), pack([span for _, span in units])
    asked = starts, spans, len(units), first, first + more
    assert LINES.units(*asked) == plain_units(*asked)


def is_column(data: bytes, count: int) -> bool:
    try:
        check_column(data, count)
    except (ValueError, IndexError):
        return False
    return True


@needs_compiled
@given(st.binary(max_size=9), st.binary(max_size=9), st.integers(-1, 9))
def test_columns_of_another_length_are_refused(starts: bytes, spans: bytes, count: int) -> None:
    assert LINES is not None
    sound = is_column(starts, count) and is_column(spans, count)
    with nullcontext() if sound else pytest.raises(ValueError, match="column"):
        assert len(LINES.units(starts, spans, count, -(2**62), 2**62)) <= count


def test_half_a_character_is_no_reason_to_fail() -> None:
    assert Marker(["ab"]).marks(["x", "ab \ud800"]) == {1: 1}


def test_no_text_makes_it_touch_foreign_memory(tmp_path: Path) -> None:
    fuzzed("repo_mcp/text/_lines.c", "fuzz_lines.py", tmp_path)
