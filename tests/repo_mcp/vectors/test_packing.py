"""Packed vectors: small, and as near to each other as before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.vectors.packing import cosines, distances, pack, plain_distances, width

NUMBERS = st.integers(-127, 127)
VECTORS = st.lists(st.lists(NUMBERS, min_size=16, max_size=16), min_size=1, max_size=5)


@given(VECTORS, st.lists(NUMBERS, min_size=16, max_size=16))
def test_a_cosine_is_that_with_the_signs(rows: list[list[int]], question: list[int]) -> None:
    vectors, one = np.array(rows, dtype=np.int8), np.array(question, dtype=np.int8)
    packed = pack(vectors)
    assert packed.shape == (len(rows), width(16))
    signs = np.where(vectors > 0, 1.0, -1.0)
    exact = one.astype(float)
    expected = signs @ exact / (4 * np.linalg.norm(exact) or 1)
    assert cosines(one, packed) == pytest.approx(expected)


def test_what_was_near_stays_near() -> None:
    numbers = np.random.default_rng(1).normal(size=(200, 256)) + np.linspace(0, 1, 200)[:, None]
    vectors = np.rint(numbers / abs(numbers).max(axis=1, keepdims=True) * 127).astype(np.int8)
    exact = vectors.astype(float)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    found = cosines(vectors[-1], pack(vectors))
    assert np.corrcoef(found, exact @ exact[-1])[0, 1] > 0.95


def test_zeros_are_near_nothing() -> None:
    every = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert cosines(np.zeros(128, dtype=np.int8), every).tolist() == [0] * 16


@pytest.mark.parametrize("count", [0, 1])
def test_no_rows_have_no_cosines(count: int) -> None:
    found = cosines(np.ones(8, dtype=np.int8), np.zeros((count, 1), dtype=np.uint8))
    assert found.shape == (count,)


@given(data=st.data())
def test_a_distance_is_the_number_of_other_bits(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 40))
    stride = length + data.draw(st.integers(0, 9))
    rows = np.frombuffer(
        data.draw(st.lists(st.binary(min_size=stride, max_size=stride), max_size=5).map(b"".join)),
        dtype=np.uint8,
    ).reshape(-1, stride)
    row = data.draw(st.binary(min_size=length, max_size=length))
    one = int.from_bytes(row, "big")
    expected = [
        min(255, (int.from_bytes(other[:length].tobytes(), "big") ^ one).bit_count())
        for other in rows
    ]
    assert distances(row, rows).tolist() == expected
    assert plain_distances(row, rows).tolist() == expected
