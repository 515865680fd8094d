"""A small encoder of functions: words of one row mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.repo_mcp.vectors.onnx_files import write_graph, write_word_tokenizer


def write_encoder(folder: Path, meanings: Sequence[Sequence[str]], seed: int = 3) -> Path:
    """Write its folder; other words mean nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [word for row in meanings for word in row]
    directions = np.random.default_rng(seed).normal(size=(len(meanings), 64))
    rows = [directions[at] for at, row in enumerate(meanings) for _ in row]
    table = np.concatenate([np.zeros((1, 64)), np.array(rows)]).astype(np.float32)
    write_graph(folder / "model.onnx", table)
    write_word_tokenizer(folder / "tokenizer.json", words)
    return folder
