"""Marks of dictionary pages: no page with a text is left out, by either code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from index_format.codec import term_pages
from index_format.codec.bits import exclusive_sum
from index_format.codec.terms import TermDictionary
from index_format.layout import TERMS_PER_PAGE
from index_format.native import NATIVE, Native
from index_format.query.term_search import terms_holding
from tests.index_format.codec.test_codecs import dictionary
from tests.index_format.codec.test_term_pages import CODES, columns_of

LETTERS = st.lists(st.sampled_from([b"a", b"b", b"_", b"\xc3\xa9"]), max_size=6).map(b"".join)
TEXTS = LETTERS.filter(bool)
TERMS = st.lists(TEXTS, unique=True, max_size=300).map(sorted)


def dictionary_of(terms: list[bytes], native: Native | None) -> TermDictionary:
    return TermDictionary(dictionary(terms)._frame, 0, native)


@settings(deadline=None)
@given(TERMS, LETTERS)
def test_both_codes_mark_the_trigrams_of_each_page(terms: list[bytes], text: bytes) -> None:
    stored, info, sizes = term_pages.encode_pages(terms, columns_of(terms, [1]), None)
    asked = stored, info, exclusive_sum(sizes[:, 1])[:-1], len(terms)
    marks = term_pages.mark_trigrams(*asked, None)
    if NATIVE is not None:
        assert term_pages.mark_trigrams(*asked, NATIVE).tolist() == marks.tolist()
    pages = term_pages.pages_with(marks, text).tolist()
    holding = {at // TERMS_PER_PAGE for at, term in enumerate(terms) if text in term}
    assert holding <= set(pages)


@pytest.mark.parametrize("native", CODES)
@settings(deadline=None)
@given(TERMS, st.lists(TEXTS, min_size=1, max_size=4))
def test_a_dictionary_finds_the_terms_that_hold_a_text(
    native: Native | None, terms: list[bytes], texts: list[bytes]
) -> None:
    asked = dictionary_of(terms, native)
    for text in texts * 2:
        found = [*terms_holding(asked, text)]
        assert found == [(at, term) for at, term in enumerate(terms) if text in term]


@pytest.mark.parametrize("native", CODES)
def test_pages_without_a_trigram_are_left_out(native: Native | None) -> None:
    terms = sorted(b"%06d" % number for number in range(TERMS_PER_PAGE * 40))
    asked = dictionary_of(terms, native)
    for _ in range(2):
        assert [*terms_holding(asked, b"5119")] == [(5119, b"005119")]
    assert sum(len(lengths) for _, _, lengths in asked.joined(b"uvwxyz")) == 0
    assert sum(len(lengths) for _, _, lengths in asked.joined(b"05119")) < len(terms) / 4
