"""Tables of token vectors of other projects."""

from __future__ import annotations

import json
import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st

from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.model import ModelError
from repo_mcp.vectors.sums import vector_of
from repo_mcp.vectors.tokens import TENSORS, TOKENIZER, TokenTable, open_tokens
from tests.repo_mcp.vectors.onnx_files import write_tensors

WORD_PIECE = {
    "type": "WordPiece",
    "continuing_subword_prefix": "##",
    "vocab": {"[UNK]": 0, "parse": 1, "head": 2, "##er": 3, "##s": 4, "re": 5, "##ad": 6, "er": 7},
}
UNIGRAM = {"type": "Unigram", "vocab": [["<unk>", 0.0], ["\u2581parse", -1.0], ["r", -2.0]]}
BPE = {"type": "BPE", "vocab": {"\u0120parse": 0, "r": 1, "parse": 2}, "merges": []}
VECTORS = np.random.default_rng(5).normal(size=(8, 12)).astype(np.float32)


def write(folder: Path, model: object = WORD_PIECE, **tensors: npt.NDArray[Any]) -> Path:
    write_tensors(folder / TENSORS, tensors or {"embeddings": VECTORS})
    (folder / TOKENIZER).write_text(json.dumps({"model": model}))
    return folder


def rows(table: TokenTable, part: str) -> list[int]:
    return list(map(int, table.rows_of(part)[0]))


def test_a_part_is_its_own_token_or_the_longest_that_cover_it(tmp_path: Path) -> None:
    table = open_tokens(write(tmp_path))
    assert rows(table, "parse") == [1]
    assert rows(table, "headers") == [2, 3, 4]
    assert rows(table, "read") == [5, 6]
    assert rows(table, "er") == [7]
    assert rows(table, "zzz") == []
    assert rows(table, "zad") == [6]


@pytest.mark.parametrize(("model", "first", "further"), [(UNIGRAM, 1, 2), (BPE, 0, 1)])
def test_marks_of_beginnings_are_understood(
    tmp_path: Path, model: object, first: int, further: int
) -> None:
    table = open_tokens(write(tmp_path, model))
    assert rows(table, "parser") == [first, further]


def test_the_vector_of_a_text_is_the_sum_of_its_tokens(tmp_path: Path) -> None:
    table = open_tokens(write(tmp_path))
    assert table.dimensions == 16
    expected = VECTORS[1] + VECTORS[2] + VECTORS[3]
    found = vector_of(table, "parseHeader").astype(float)
    assert not found[12:].any()
    found = found[:12]
    assert found @ expected / np.linalg.norm(found) / np.linalg.norm(expected) > 0.999


def test_weights_and_mapping_of_a_table_count(tmp_path: Path) -> None:
    weights = np.array([1.0, 0.5, 1, 1, 1, 1, 1, 1])
    mapping = np.array([0, 2, 1, 3, 4, 5, 6, 7])
    table = open_tokens(
        write(tmp_path, embeddings=VECTORS.astype(np.float16), weights=weights, mapping=mapping)
    )
    assert rows(table, "parse") == [2]
    sizes = np.linalg.norm(table.rows * table.scales[:, None].astype(float), axis=1)
    plain = np.linalg.norm(VECTORS, axis=1)
    assert sizes[1] / sizes[2] == pytest.approx(0.5 * plain[1] / plain[2], rel=0.02)


def test_a_folder_with_such_a_table_is_an_embedder(tmp_path: Path) -> None:
    embedder = choose_embedder(str(write(tmp_path)))
    assert embedder is not None
    assert embedder.width == 2
    assert embedder.embed_query("parse the headers").any()


@pytest.mark.parametrize(
    "tensors",
    [
        {"a": VECTORS, "b": VECTORS},
        {"embeddings": VECTORS[0]},
        {"embeddings": VECTORS[:3]},
        {"embeddings": np.zeros((8, 12), dtype=np.int64)},
        {"embeddings": np.full((8, 12), np.nan, dtype=np.float32)},
        {"embeddings": VECTORS, "mapping": np.arange(8) + 1},
        {"embeddings": VECTORS, "mapping": np.zeros(0, dtype=np.int64)},
        {"embeddings": VECTORS, "mapping": np.zeros((8, 1), dtype=np.int32)},
        {"embeddings": np.zeros((8, 5000), dtype=np.float32)},
    ],
)
def test_tables_that_do_not_fit_are_refused(
    tmp_path: Path, tensors: dict[str, npt.NDArray[Any]]
) -> None:
    with pytest.raises(ModelError):
        open_tokens(write(tmp_path, **tensors))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"model": []}',
        '{"model": {"vocab": 3}}',
        '{"model": {"vocab": {}}}',
        '{"model": {"vocab": [3]}}',
        '{"model": {"vocab": {"a": "b"}}}',
        '{"model": {"vocab": {"a": Infinity, "b": 1}}}',
        '{"model": {"vocab": {"a": -1, "b": 1}}}',
        "[" * 10_000,
    ],
)
def test_tokenizers_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path)
    (tmp_path / TOKENIZER).write_text(text)
    with pytest.raises(ModelError):
        open_tokens(tmp_path)


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 300))
def test_damaged_tensors_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, place: int, cut: int
) -> None:
    folder = write(tmp_path_factory.mktemp("table"))
    data = (folder / TENSORS).read_bytes()
    (folder / TENSORS).write_bytes(data[:place] + junk + data[place + len(junk) :][: -cut or None])
    try:
        table = open_tokens(folder)
    except ModelError:
        return
    assert table.rows.shape[0] > 7


def peak_of_refusal(folder: Path) -> int:
    tracemalloc.start()
    with pytest.raises(ModelError):
        open_tokens(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("start", [b"", (1 << 30).to_bytes(8, "little") + b"{"])
def test_a_large_file_without_tensors_is_not_read(tmp_path: Path, start: bytes) -> None:
    write(tmp_path)
    with (tmp_path / TENSORS).open("wb") as file:
        file.write(start)
        file.truncate((1 << 31) - 1)
    assert peak_of_refusal(tmp_path) < 1 << 20


@pytest.mark.parametrize("item", [b"[],", b'{"":0},'])
def test_a_tokenizer_of_small_values_is_not_parsed(tmp_path: Path, item: bytes) -> None:
    write(tmp_path)
    text = b"[" + item * (4 << 20) + b"0]"
    (tmp_path / TOKENIZER).write_bytes(text)
    assert peak_of_refusal(tmp_path) < 2 * len(text)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
@pytest.mark.parametrize("name", [TENSORS, TOKENIZER])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    write(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(ModelError, match="regular"):
        open_tokens(tmp_path)
