"""Embedders: what they tell of themselves, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from index_format import Vocabulary
from index_format.analysis.counting import Analyser
from repo_mcp.errors import Problem
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.embedder import ChunkText, count_paths
from repo_mcp.vectors.packing import pack
from repo_mcp.vectors.sums import vector_of
from tests.repo_mcp.vectors.tables import random_table


def test_chunks_get_the_vectors_of_their_lines_and_their_path(tmp_path: Path) -> None:
    table = random_table(tmp_path)
    embedder = choose_embedder(str(tmp_path))
    assert embedder is not None
    analyser, vocabulary = Analyser(), Vocabulary()
    texts, path = ["parseHeader(http)", "", "größe utf8"], "src/http/remove_it.py"
    counted = analyser.count_texts(texts, vocabulary)
    [end] = count_paths([path], analyser, vocabulary)
    chunks = [ChunkText(text, path, (item, end)) for text, item in zip(texts, counted, strict=True)]
    found = embedder.embed(chunks, vocabulary)
    expected = pack(np.stack([vector_of(table, text, path) for text in texts]))
    assert found == [row.tobytes() for row in expected]
    assert {len(row) for row in found} == {embedder.width}
    assert embedder.embed([], vocabulary) == []


def test_a_question_is_embedded_as_a_text_is(tmp_path: Path) -> None:
    table = random_table(tmp_path)
    embedder = choose_embedder(str(tmp_path))
    assert embedder is not None
    assert np.array_equal(
        embedder.embed_query("remove the header"), vector_of(table, "remove the header")
    )
    assert not embedder.embed_query("1 2 3").any()
    assert embedder.embed_query("zebra").any()


def test_models_differ_in_identity_and_name(tmp_path: Path) -> None:
    made = []
    for seed in (1, 2):
        random_table(tmp_path / str(seed), seed=seed)
        made.append(choose_embedder(str(tmp_path / str(seed))))
    one, other = made
    assert one is not None
    assert other is not None
    assert one.identity != other.identity
    assert one.name != other.name
    assert one.name.startswith("words-16-")


def test_no_model_is_no_embedder_and_a_missing_one_a_problem(tmp_path: Path) -> None:
    assert choose_embedder(None) is None
    with pytest.raises(Problem, match=r"embedding model .* card.json") as caught:
        choose_embedder(str(tmp_path / "nothing"))
    assert caught.value.code == "model_unusable"
