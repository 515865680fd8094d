"""Opens the embedder that settings choose: the built-in table, or a model in a folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.vectors.embedder import Embedder, WordEmbedder
from repo_mcp.vectors.model import CARD, ModelError, open_table
from repo_mcp.vectors.sentences import GRAPHS, find_graph, open_sentences
from repo_mcp.vectors.tokens import TENSORS, open_tokens

BUILT_IN: Final = Path(__file__).with_name("data")


def choose_embedder(model: str | None) -> Embedder | None:
    """The embedder that settings name, if any: a folder, or "" for the built-in one; `Problem`."""
    if model is None:
        return None
    try:
        return open_embedder(model)
    except ModelError as error:
        raise Problem("model_unusable", str(error)) from None


@cache
def open_embedder(path: str) -> Embedder:
    """The embedder of a folder, the built-in one for an empty path; `ModelError`."""
    folder = Path(path) if path else BUILT_IN
    if (folder / CARD).exists():
        return WordEmbedder(open_table(folder))
    if (folder / TENSORS).exists():
        return WordEmbedder(open_tokens(folder))
    graph = find_graph(folder)
    if graph is not None:
        return open_sentences(folder, graph)
    files = ", ".join((CARD, TENSORS, GRAPHS[0]))
    raise ModelError(folder, f"no model there, which would have one of {files}")
