"""Texts sorted as numbers come in the order of their bytes, equal ones as they stood."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from index_format.segment.term_order import sort_bytes

# few different bytes and lengths around multiples of the step: many are equal for a long way
TEXTS = st.one_of(
    st.text("a\0", min_size=1, max_size=50).map(str.encode),
    st.binary(min_size=1, max_size=4),
    st.integers(12, 48).map(lambda size: b"\xff" * size),
    st.integers(12, 48).map(lambda size: b"x" * size + b"\0"),
)


@given(st.lists(TEXTS, max_size=40))
@example([b"a" * 15, b"a" * 16, b"a" * 15, b"a" * 14 + b"\0", b"a" * 14])
@example([b"a" * 15 + b"\0", b"a" * 15])
@example([b"z" * 4096, b"z" * 4095, b"z" * 4096])
def test_the_order_is_that_of_a_stable_sort(texts: list[bytes]) -> None:
    order, new = sort_bytes(texts)
    assert order.tolist() == sorted(range(len(texts)), key=texts.__getitem__)
    ordered = [texts[at] for at in order.tolist()]
    begins = [at == 0 or ordered[at] != ordered[at - 1] for at in range(len(ordered))]
    assert new.tolist() == begins
