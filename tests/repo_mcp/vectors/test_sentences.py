"""Sentence encoders: graphs of other projects, run on the processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from index_format import Vocabulary
from index_format.analysis.counting import Analyser
from repo_mcp.errors import Problem
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.embedder import ChunkText, Embedder
from repo_mcp.vectors.packing import cosines
from tests.repo_mcp.vectors.onnx_files import write_graph, write_word_tokenizer

needs_extra = pytest.mark.usefixtures("extra")
WORDS = ["remove", "delete", "paint", "canvas", "store"]
_ONE, _OTHER, _THIRD = np.random.default_rng(7).normal(size=(3, 60)).astype(np.float32)
# "remove" and "delete" are alike, "paint" and "canvas" are
TABLE = np.stack([_THIRD * 0, _ONE, _ONE + _THIRD / 9, _OTHER, _OTHER - _THIRD / 9, _THIRD / 9])


@pytest.fixture
def extra() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_graph(tmp_path / "model.onnx", TABLE)
    write_word_tokenizer(tmp_path / "tokenizer.json", WORDS)
    return tmp_path


def opened(folder: Path) -> Embedder:
    found = choose_embedder(str(folder))
    assert found is not None
    return found


def embed(embedder: Embedder, *texts: str | bytes) -> list[bytes]:
    analyser, vocabulary = Analyser(), Vocabulary()
    counted = analyser.count_texts(["", *texts], vocabulary)
    chunks = [
        ChunkText(text, "store/x.py", (item, counted[0]))
        for text, item in zip(texts, counted[1:], strict=True)
    ]
    return embedder.embed(chunks, vocabulary)


@needs_extra
def test_texts_that_mean_alike_are_near(folder: Path) -> None:
    embedder = opened(folder)
    rows = embed(embedder, "Delete it", b"paint the canvas")
    packed = np.frombuffer(b"".join(rows), np.uint8).reshape(2, embedder.width)
    near, far = cosines(embedder.embed_query("remove"), packed).tolist()
    assert near > 0.7
    assert far < 0.3


@needs_extra
def test_vectors_do_not_depend_on_what_is_embedded_beside_them(folder: Path) -> None:
    embedder = opened(folder)
    texts = [" ".join(WORDS[: number % 5 + 1] * (number + 1)) for number in range(70)]
    together = embed(embedder, *texts)
    assert together == [embed(opened(folder), text)[0] for text in texts]
    assert embed(embedder, *reversed(texts)) == together[::-1]
    assert {len(row) for row in together} == {embedder.width}


@needs_extra
def test_odd_texts_have_vectors_too(folder: Path) -> None:
    odd = ["", "\ud800 remove", "\0", "remove " * 100_000, "??? \U0010ffff"]
    assert len(embed(opened(folder), *odd)) == len(odd)
    assert opened(folder).embed_query("").tolist() == opened(folder).embed_query("nothing").tolist()


@needs_extra
def test_another_graph_or_tokenizer_is_another_model(folder: Path, tmp_path: Path) -> None:
    write_graph(tmp_path / "other/onnx/model.onnx", TABLE + 1)
    write_word_tokenizer(tmp_path / "other/tokenizer.json", WORDS)
    assert opened(folder).identity != opened(tmp_path / "other").identity
    assert opened(folder).name.startswith("onnx-64-")


@needs_extra
@pytest.mark.parametrize("damage", ["graph", "tokenizer", "inputs", "none"])
def test_models_that_can_not_be_used_are_refused(folder: Path, damage: str) -> None:
    if damage == "graph":
        (folder / "model.onnx").write_bytes(b"no graph")
    elif damage == "tokenizer":
        (folder / "tokenizer.json").write_text("{}")
    elif damage == "inputs":
        write_graph(folder / "model.onnx", TABLE, ("input_ids", "pixels"))
    else:
        (folder / "tokenizer.json").unlink()
    with pytest.raises(Problem, match="embedding model"):
        choose_embedder(str(folder))


def test_without_the_extra_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr("repo_mcp.vectors.sentences.import_module", missing)
    with pytest.raises(Problem, match="repo-mcp\\[onnx\\]"):
        choose_embedder(str(folder))
