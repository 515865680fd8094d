"""Texts sorted as numbers come in the order of their bytes, equal ones as they stood."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from index_format.native import NATIVE, Native
from index_format.segment.term_order import rank_words, sort_bytes

# few different bytes and lengths around multiples of the step: many are equal for a long way
TEXTS = st.one_of(
    st.text("a\0", min_size=1, max_size=50).map(str.encode),
    st.binary(min_size=1, max_size=4),
    st.integers(12, 48).map(lambda size: b"\xff" * size),
    st.integers(12, 48).map(lambda size: b"x" * size + b"\0"),
)


# short terms, so that there are many, in any order or in ascending runs
RUNS = st.lists(st.binary(min_size=1, max_size=2), max_size=300) | st.lists(
    st.lists(st.binary(min_size=1, max_size=12), max_size=60).map(sorted), max_size=9
).map(lambda runs: [text for run in runs for text in run])


@given(st.lists(TEXTS, max_size=40) | RUNS)
@example([b"a" * 15, b"a" * 16, b"a" * 15, b"a" * 14 + b"\0", b"a" * 14])
@example([b"a" * 15 + b"\0", b"a" * 15])
@example([b"z" * 4096, b"z" * 4095, b"z" * 4096])
def test_the_order_is_that_of_a_stable_sort(texts: list[bytes]) -> None:
    for native in (None, NATIVE):
        order, new = sort_bytes(texts, native)
        assert order.tolist() == sorted(range(len(texts)), key=texts.__getitem__)
        ordered = [texts[at] for at in order.tolist()]
        begins = [at == 0 or ordered[at] != ordered[at - 1] for at in range(len(ordered))]
        assert new.tolist() == begins


@given(st.lists(TEXTS, min_size=1, max_size=40, unique=True), st.data())
def test_words_are_ranked_among_those_that_are_used(
    vocabulary: list[bytes], data: st.DataObject
) -> None:
    words = data.draw(st.lists(st.integers(0, len(vocabulary) - 1), max_size=60))
    terms = sorted({vocabulary[word] for word in words})
    for native in (None, NATIVE):
        found, ranks = rank_words(vocabulary, np.array(words, dtype=np.uint32), native)
        assert found == terms
        assert [found[rank] for rank in ranks.tolist()] == [vocabulary[word] for word in words]


@pytest.mark.parametrize("native", [None, NATIVE], ids=["plain", "compiled"])
def test_a_word_of_two_numbers_is_refused(native: Native | None) -> None:
    with pytest.raises(ValueError, match="two numbers: b'twice'"):
        rank_words([b"twice", b"a", b"twice"], np.array([0, 2], dtype=np.uint32), native)
