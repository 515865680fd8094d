"""The files of a table of word vectors."""

from __future__ import annotations

import json
import os
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from repo_mcp.vectors.model import (
    CARD,
    ROWS,
    SCALES,
    WORDS,
    GramTable,
    ModelError,
    open_table,
    write_table,
)
from tests.repo_mcp.vectors.tables import WORDS as TABLE_WORDS, random_table

_HEADER = 128  # bytes of numpy's header


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    vectors = np.array([[3.0] * 8, [-1.0, 0.5] * 4, [0.0] * 8], dtype=np.float32)
    digest = write_table(tmp_path, ["b", "a"], vectors, {"name": "two words"})
    table = open_table(tmp_path)
    assert (table.words, table.buckets, table.dimensions) == ([b"a", b"b"], 1, 8)
    assert table.digest == digest
    assert json.loads((tmp_path / CARD).read_text())["name"] == "two words"
    back = table.rows * table.scales[:, None].astype(float)
    assert np.allclose(back / back[1, 0], vectors[[1, 0, 2]] / 3.0, atol=1 / 127)
    assert (table.row_of(b"b"), table.row_of(b"c"), table.row_of(b"")) == (1, None, None)


def test_equal_tables_have_equal_bytes_and_others_another_digest(tmp_path: Path) -> None:
    first, second = random_table(tmp_path / "a"), random_table(tmp_path / "b")
    assert first.digest == second.digest
    for name in (ROWS, SCALES, WORDS, CARD):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert random_table(tmp_path / "c", seed=2).digest != first.digest


@pytest.mark.parametrize("name", [ROWS, SCALES, WORDS, CARD])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    random_table(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ModelError, match=name):
        open_table(tmp_path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table")
    random_table(folder)
    return folder


@given(st.sampled_from([ROWS, SCALES, WORDS]), st.integers(0, 10**6), st.integers(1, 255))
def test_any_damaged_byte_is_found(sound: Path, name: str, place: int, bits: int) -> None:
    data = bytearray((sound / name).read_bytes())
    before = bytes(data)
    data[place % len(data)] ^= bits
    try:
        (sound / name).write_bytes(data)
        found = open_or_none(sound)
        # a header has bytes that mean nothing
        assert found is None or (place % len(data) < _HEADER and name != WORDS and same(found))
    finally:
        (sound / name).write_bytes(before)


def open_or_none(folder: Path) -> GramTable | None:
    try:
        return open_table(folder)
    except ModelError:
        return None


def same(found: GramTable) -> bool:
    return len(found.rows) == len(found.scales) == len(TABLE_WORDS) + found.buckets


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"dimensions": 0},
        {"dimensions": 12},
        {"dimensions": "16"},
        {"words": -1},
        {"buckets": 0, "words": 40},
        {"buckets": 10**12},
        {"digest": "0"},
        {"words": True},
    ],
)
def test_a_card_that_does_not_fit_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    random_table(tmp_path)
    card = json.loads((tmp_path / CARD).read_text())
    (tmp_path / CARD).write_text(json.dumps({**card, **change}))
    with pytest.raises(ModelError):
        open_table(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "null"])
def test_a_card_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    random_table(tmp_path)
    (tmp_path / CARD).write_text(text)
    with pytest.raises(ModelError, match=CARD):
        open_table(tmp_path)


@pytest.mark.parametrize("name", [ROWS, SCALES])
def test_an_archive_in_place_of_an_array_is_refused(tmp_path: Path, name: str) -> None:
    random_table(tmp_path)
    with (tmp_path / name).open("wb") as file:
        np.savez_compressed(file, rows=np.zeros(1 << 24, dtype=np.int8))
    with pytest.raises(ModelError, match=name):
        open_table(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
@pytest.mark.parametrize("name", [ROWS, SCALES, WORDS, CARD])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    random_table(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(ModelError, match="regular"):
        open_table(tmp_path)


@pytest.mark.parametrize("name", [WORDS, CARD])
def test_a_large_file_is_not_read(tmp_path: Path, name: str) -> None:
    random_table(tmp_path)
    with (tmp_path / name).open("r+b") as file:
        file.truncate(1 << 32)
    tracemalloc.start()
    with pytest.raises(ModelError, match="larger"):
        open_table(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_card_without_a_digest_is_refused(tmp_path: Path) -> None:
    random_table(tmp_path)
    card = json.loads((tmp_path / CARD).read_bytes())
    del card["digest"]
    (tmp_path / CARD).write_text(json.dumps(card))
    with pytest.raises(ModelError, match="digest"):
        open_table(tmp_path)
