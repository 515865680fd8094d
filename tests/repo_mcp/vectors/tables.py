"""Small tables of word vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from repo_mcp.vectors.model import GramTable, open_table, write_table

WORDS = ("parse", "read", "header", "http", "größe", "zebra", "remove", "delete")


def random_table(
    folder: Path,
    words: tuple[str, ...] = WORDS,
    *,
    dimensions: int = 16,
    buckets: int = 32,
    seed: int = 1,
) -> GramTable:
    """A table with vectors drawn from a seed."""
    numbers = np.random.default_rng(seed).normal(size=(len(words) + buckets, dimensions))
    write_table(folder, words, numbers.astype(np.float32), {"name": "random"})
    return open_table(folder)
