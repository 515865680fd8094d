"""Nearest words of a table: above the bound, nearest first, the same as by plain cosines."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from repo_mcp.vectors.choice import open_embedder
from repo_mcp.vectors.embedder import LEAST_COSINE, NearestWords
from repo_mcp.vectors.model import open_table, write_table

WORDS = tuple(f"w{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(120))


def table(tmp_path: Path) -> Path:
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(12, 24))
    rows = np.repeat(centres, 10, axis=0) + chance.normal(size=(120, 24)) * 0.7
    vectors = np.concatenate([rows, chance.normal(size=(8, 24))]).astype(np.float32)
    write_table(tmp_path / "model", WORDS, vectors, {})
    return tmp_path / "model"


def test_they_are_those_above_the_bound(tmp_path: Path) -> None:
    opened = open_table(table(tmp_path))
    rows = opened.rows[: len(WORDS)].astype(np.float64)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    nearest = NearestWords(opened)
    for at, word in enumerate(opened.words):
        cosines = units @ units[at]
        found = nearest.of(word.decode())
        above = {
            opened.words[n].decode() for n in np.flatnonzero(cosines >= LEAST_COSINE) if n != at
        }
        assert {name for name, _ in found} == above
        assert [cosine for _, cosine in found] == sorted((c for _, c in found), reverse=True)


def test_a_word_that_the_table_lacks_has_none(tmp_path: Path) -> None:
    nearest = NearestWords(open_table(table(tmp_path)))
    assert nearest.of("absent") == nearest.of("\udc80") == nearest.of("") == []


def test_the_built_in_table_knows_words_that_share_no_letters() -> None:
    near = dict(open_embedder("").nearest("directory"))
    assert near
    assert "directory" not in near
    assert min(near.values()) >= LEAST_COSINE
