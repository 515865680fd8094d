"""bm25s: whole files, scores computed while building, mapped into memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import bm25s

from bench.peers.process import Ask, Tree
from bench.peers.table import Kind

_TOP = 10


def build(tree: Tree, folder: Path) -> None:
    """All texts at once, as it wants them."""
    paths, texts = zip(*tree.texts(), strict=True)
    found = bm25s.BM25()
    tokens = bm25s.tokenize(list(texts), stopwords=None, show_progress=False)
    found.index(tokens, show_progress=False)
    found.save(str(folder))
    (folder / "paths").write_text("\n".join(paths), "utf-8")


def engine(_name: str, _tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """The best files of its own tokens."""
    found = bm25s.BM25.load(str(folder), mmap=True)
    paths = (folder / "paths").read_text("utf-8").split("\n")

    def ranked(query: str) -> list[str]:
        tokens = bm25s.tokenize([query], stopwords=None, show_progress=False)
        rows, _ = found.retrieve(tokens, k=min(_TOP, len(paths)), show_progress=False)
        return [paths[row] for row in rows[0].tolist()]

    return {"ranked": ranked}
