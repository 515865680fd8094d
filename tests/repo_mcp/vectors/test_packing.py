"""Packed vectors: small, and as near to each other as before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from repo_mcp.vectors.packing import (
    cosines,
    distances,
    fine_cosines,
    fine_width,
    pack,
    pack_finely,
    plain_distances,
    width,
)

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


@given(VECTORS, st.lists(NUMBERS, min_size=16, max_size=16))
def test_a_fine_cosine_is_that_with_sizes_of_four_steps(
    rows: list[list[int]], question: list[int]
) -> None:
    vectors, one = np.array(rows, dtype=np.int8), np.array(question, dtype=np.int8)
    packed = pack_finely(vectors)
    assert packed.shape == (len(rows), fine_width(16))
    assert packed[:, : width(16)].tobytes() == pack(vectors).tobytes()
    exact, expected = one.astype(float), []
    for row in rows:
        # in whole numbers: 25 x 16 x square >= 9 x step x step x the sum of squares
        bounds = [9 * step * step * sum(number * number for number in row) for step in (1, 2, 3)]
        sizes = [sum(400 * number * number >= bound for bound in bounds) for number in row]
        values = [
            (2 * size + 1) * (1 if number > 0 else -1)
            for size, number in zip(sizes, row, strict=True)
        ]
        lengths = float(np.linalg.norm(values) * np.linalg.norm(exact)) or 1.0
        expected.append(float(np.array(values) @ exact) / lengths)
    assert fine_cosines(one, packed) == pytest.approx(expected)


def test_what_was_near_stays_near() -> None:
    numbers = np.random.default_rng(1).normal(size=(200, 256)) + np.linspace(0, 1, 200)[:, None]
    vectors = np.rint(numbers / abs(numbers).max(axis=1, keepdims=True) * 127).astype(np.int8)
    exact = vectors.astype(float)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    likeness = [
        np.corrcoef(found, exact @ exact[-1])[0, 1]
        for found in (
            cosines(vectors[-1], pack(vectors)),
            fine_cosines(vectors[-1], pack_finely(vectors)),
        )
    ]
    assert likeness[0] > 0.95
    assert likeness[1] > 0.99


def test_zeros_are_near_nothing() -> None:
    every = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert cosines(np.zeros(128, dtype=np.int8), every).tolist() == [0] * 16
    assert fine_cosines(np.zeros(40, dtype=np.int8), every[:, :15]).tolist() == [0] * 16


@pytest.mark.parametrize("count", [0, 1])
def test_no_rows_have_no_cosines(count: int) -> None:
    one = np.ones(8, dtype=np.int8)
    assert cosines(one, np.zeros((count, 1), dtype=np.uint8)).shape == (count,)
    assert fine_cosines(one, np.zeros((count, 3), dtype=np.uint8)).shape == (count,)


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
