"""Packed vectors: small, and nearly as far from each other as before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.vectors.packing import cosines, pack, unpack, width

NUMBERS = st.integers(-127, 127)
VECTORS = st.lists(st.lists(NUMBERS, min_size=8, max_size=8), min_size=1, max_size=5)


@given(VECTORS)
def test_each_number_keeps_its_sign_and_its_nearest_level(rows: list[list[int]]) -> None:
    vectors = np.array(rows, dtype=np.int8)
    packed = pack(vectors)
    assert packed.shape == (len(rows), width(8))
    levels = (abs(vectors.astype(int)) * 7 + 63) // 127
    assert np.array_equal(unpack(packed), np.sign(vectors) * levels)


def test_packing_changes_a_cosine_little() -> None:
    numbers = np.random.default_rng(1).normal(size=(200, 256)) + np.linspace(0, 1, 200)[:, None]
    vectors = np.rint(numbers / abs(numbers).max(axis=1, keepdims=True) * 127).astype(np.int8)
    exact = vectors.astype(float)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    found = cosines(vectors[-1], pack(vectors))
    errors = abs(found - exact @ exact[-1])
    assert errors.mean() < 0.015
    assert errors.max() < 0.05


def test_all_bytes_have_a_meaning_and_zeros_are_near_nothing() -> None:
    every = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert unpack(every).min() == -8
    found = cosines(
        np.ones(32, dtype=np.int8), np.concatenate([every, np.full((1, 16), 0x88, np.uint8)])
    )
    assert np.isfinite(found).all()
    assert found[-1] == 0
    assert cosines(np.zeros(32, dtype=np.int8), every).tolist() == [0] * 16


@pytest.mark.parametrize("count", [0, 1])
def test_no_rows_have_no_cosines(count: int) -> None:
    found = cosines(np.ones(8, dtype=np.int8), np.zeros((count, 4), dtype=np.uint8))
    assert found.shape == (count,)
