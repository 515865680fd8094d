"""Texts as sequences keep their words' order, and sum up to what the table gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.vectors.counts import Rows, in_rows
from bench.vectors.order import sequences
from bench.vectors.order.sequences import BEGINS, INSIDE, OF_PATH, OPENS, Matrix
from bench.vectors.pair import DOC, Pair
from bench.vectors.training import sum_rows

_TEXT = "def openFile(name):\n    return cache of sessions"
_LONG = " ".join(f"word{'abcdefgh'[at % 8]}{'xyz'[at % 3]} " for at in range(200))


def _pairs() -> list[Pair]:
    return [
        Pair(DOC, "opens a file of sessions", "src/disk.py", _TEXT),
        Pair(DOC, "many words", "src/long.py", _LONG, 3),
    ]


def test_words_stand_in_their_order_with_how_they_stand() -> None:
    found = sequences.read_order(_pairs())
    words = [found.words[number] for number in found.texts.words[0] if number >= 0]
    assert words == [
        *("src", "disk", "def", "open", "file", "name", "return", "cache", "of", "sessions")
    ]
    marks = found.texts.marks[0, : len(words)].tolist()
    assert marks == [
        *(OF_PATH, OF_PATH, OPENS, BEGINS, INSIDE, BEGINS, OPENS, BEGINS, BEGINS, BEGINS)
    ]


def test_a_sequence_and_what_it_lacks_sum_up_to_the_vector_of_the_table() -> None:
    found = sequences.read_order(_pairs())
    random = np.random.default_rng(1)
    table = random.standard_normal((3 + 16, 8)).astype(np.float32)
    rows = Rows(["file", "open", "sessions"], 16)
    matrix = Matrix(rows, table, 3)
    side = matrix.sides(found.words, (found.texts,))[0]
    vectors = matrix.vectors().astype(np.float32)
    summed = (vectors[side.words] * side.worth[..., None]).sum(1) + side.rest
    whole = sum_rows(in_rows(found.texts.counted, rows.table_of(found.words)), table)
    assert (side.words[1] >= 0).all()
    assert np.abs(side.rest[1]).max() > 1
    assert summed == pytest.approx(whole, abs=0.1)


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    made = sequences.read_order(_pairs())
    sequences.write(tmp_path / "pairs.npz", made)
    found = sequences.read(tmp_path / "pairs.npz")
    assert found.words == made.words
    assert found.groups.tolist() == [-1, 3]
    for side, again in ((made.queries, found.queries), (made.texts, found.texts)):
        assert np.array_equal(side.words, again.words)
        assert np.array_equal(side.marks, again.marks)
        assert np.array_equal(side.counted.parts, again.counted.parts)
        assert side.worth == pytest.approx(again.worth, abs=1e-3)
