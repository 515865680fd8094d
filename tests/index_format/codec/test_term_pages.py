"""Pages of a dictionary: what is encoded is decoded, by both codes alike, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from index_format.codec import term_pages
from index_format.codec.bits import I64, exclusive_sum
from index_format.codec.wire import MalformedError
from index_format.layout import MAX_TERM_BYTES, TERMS_PER_PAGE
from index_format.native import NATIVE, Native

CODES = [
    pytest.param(None, id="plain"),
    pytest.param(
        NATIVE, id="compiled", marks=pytest.mark.skipif(NATIVE is None, reason="not compiled")
    ),
]
WORDS = st.lists(st.binary(min_size=1, max_size=5), unique=True, max_size=300).map(sorted)
# numbers where widths change, and those that no width holds
NUMBERS = st.sampled_from(
    [n for bits in (0, 1, 2, 7, 8, 15, 16, 17, 39) for n in (2**bits - 1, 2**bits)][:-1]
) | st.integers(0, 9)


def columns_of(words: Sequence[bytes], numbers: Sequence[int]) -> I64:
    """Chunks, surplus, tails and positions from some numbers, over and over."""
    drawn = np.resize(np.array([*numbers, 0], dtype=np.int64), (4, len(words)))
    drawn[0] += 1
    return drawn


def encoded(words: list[bytes], columns: I64, native: Native | None) -> tuple[bytes, bytes, I64]:
    text, info, sizes = term_pages.encode_pages(words, columns, native)
    assert sizes.sum(axis=0).tolist() == [len(text), len(info)]
    return text, info, exclusive_sum(sizes[:, 1])[:-1]


@settings(deadline=None)
@given(WORDS, st.lists(NUMBERS, max_size=7))
@example([b"%05d" % number for number in range(TERMS_PER_PAGE)], [0])
@example([b"%05d" % number for number in range(TERMS_PER_PAGE + 1)], [2**39])
@example([b"x" * MAX_TERM_BYTES, b"x" * (MAX_TERM_BYTES - 1) + b"y"], [1])
def test_pages_come_back_and_have_one_spelling(words: list[bytes], numbers: list[int]) -> None:
    columns = columns_of(words, numbers)
    spelled = encoded(words, columns, None)
    if NATIVE is not None:
        compiled = encoded(words, columns, NATIVE)
        assert compiled[:2] == spelled[:2]
        assert compiled[2].tolist() == spelled[2].tolist()
    for native in (None, NATIVE):
        found = term_pages.decode_pages(spelled[1], spelled[2], len(words), native)
        assert np.array_equal(found[term_pages.CHUNKS :], columns)
        text, lengths = term_pages.spell_terms(*spelled, len(words), native)
        assert text == b"".join(words)
        assert lengths.tolist() == [len(word) for word in words]


@settings(deadline=None)
@given(WORDS, st.lists(NUMBERS, max_size=3), st.data())
def test_both_codes_accept_and_refuse_the_same_bytes(
    words: list[bytes], numbers: list[int], data: st.DataObject
) -> None:
    text, info, starts = encoded(words, columns_of(words, numbers), None)
    changed = bytearray(info)
    for _ in range(data.draw(st.integers(0, 2)) if info else 0):
        changed[data.draw(st.integers(0, len(info) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(changed[: data.draw(st.integers(max(len(info) - 2, 0), len(info)))])
    count = data.draw(st.integers(max(len(words) - 1, 0), len(words) + 1))
    outcomes = []
    for native in (None, NATIVE):
        try:
            columns = term_pages.decode_pages(cut, starts, count, native)
            outcome: object = columns.tolist()
            spelled, lengths = term_pages.spell_terms(text, cut, starts, count, native)
            outcome = (outcome, spelled, lengths.tolist())
        except MalformedError:
            outcome = None
        outcomes.append(outcome)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("native", CODES)
@pytest.mark.parametrize(
    ("shared", "others", "text"),
    [
        ([1], [1], b"a"),  # the first of a page shares none
        ([0, 2], [1, 1], b"ab"),  # more than there is
        ([0], [2], b"a"),
        ([0], [1], b"ab"),
        ([0, 9], [9, 1], b"a" * 10 + b"b"),
        ([0, MAX_TERM_BYTES], [MAX_TERM_BYTES, 1], b"a" * (MAX_TERM_BYTES + 1)),
    ],
)
def test_terms_that_no_encoder_writes_are_refused(
    shared: list[int], others: list[int], text: bytes, native: Native | None
) -> None:
    runs = np.zeros((term_pages.RUNS, len(shared)), dtype=np.int64)
    runs[term_pages.SHARED], runs[term_pages.OTHERS] = shared, others
    info, _ = term_pages._encode_runs(runs)
    with pytest.raises(MalformedError):
        term_pages.spell_terms(text, info, np.zeros(1, dtype=np.int64), len(shared), native)


@pytest.mark.parametrize("native", CODES)
@pytest.mark.parametrize(
    "info",
    [
        bytes(5),
        bytes(5) + bytes([17]) + bytes(3),
        bytes(6) + b"\x00",
        b"\x08" + bytes(5),
        b"\x01" + bytes(5) + b"\x01",
        b"\x01" + bytes(5) + b"\x01\x80",
        b"\x01" + bytes(5) + b"\x01" + b"\xff" * 5 + b"\x7f",
    ],
    ids=["no widths", "width", "rest", "short run", "no varint", "cut varint", "large"],
)
def test_pages_that_no_encoder_writes_are_refused(info: bytes, native: Native | None) -> None:
    with pytest.raises(MalformedError):
        term_pages.decode_pages(info, np.zeros(1, dtype=np.int64), 1, native)


def test_front_coded_pages_are_smaller_than_their_terms() -> None:
    words = [b"module_function_%04d" % number for number in range(TERMS_PER_PAGE)]
    text, info, _ = encoded(words, columns_of(words, []), NATIVE)
    assert len(text) + len(info) < 3 * len(words)
