"""Marks agree with Whoosh's terms of each line, with compiled code and without."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.words import MAX_WORD, terms
from repo_mcp.native import NATIVE, ServerNative
from repo_mcp.text.marking import Marker

CHARACTERS = "aBcX_19 \n\r.\0\u00e9\u0130\u03a3\u03c2\u4e2d\U00010428"
TEXTS = st.lists(
    st.sampled_from(CHARACTERS)
    | st.sampled_from(["parseHTTP", "x" * (MAX_WORD - 1), "Y" * (MAX_WORD + 1)]),
    max_size=40,
).map("".join)


@pytest.mark.parametrize("compiled", [None, NATIVE], ids=["plain", "compiled"])
@given(text=TEXTS, others=st.lists(TEXTS, max_size=3), most=st.sampled_from([2, 5, 100]))
def test_marks_are_the_terms_of_each_line(
    compiled: ServerNative | None, text: str, others: list[str], most: int
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


class _FewTerms:
    """Compiled code that marks at most three terms at once."""

    MAX_TERMS = 3

    def __init__(self, native: ServerNative) -> None:
        self.mark_lines = native.mark_lines


@pytest.mark.skipif(NATIVE is None, reason="without compiled code")
@given(rows=st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join), max_size=8))
def test_more_terms_than_compiled_code_takes_have_the_same_marks(rows: list[str]) -> None:
    assert NATIVE is not None
    few = Marker("hgfedcba", cast("ServerNative", _FewTerms(NATIVE)))
    assert [*few.marks(rows).items()] == [*Marker("hgfedcba", None).marks(rows).items()]


def test_a_lone_surrogate_does_not_fail() -> None:
    assert Marker(["ab"]).marks(["x", "ab \ud800"]) == {1: 1}
