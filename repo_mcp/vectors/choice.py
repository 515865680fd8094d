"""Opens the embedder that settings choose: the built-in table, or a model in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

from repo_mcp.errors import Problem
from repo_mcp.vectors.model import CARD, SIDES, ModelError, open_table, read_card
from repo_mcp.vectors.sums import identity_of_table

if TYPE_CHECKING:
    from repo_mcp.vectors.embedder import Embedder

BUILT_IN: Final = os.path.join(os.path.dirname(__file__), "data")


def choose_embedder(model: str | None) -> Embedder | None:
    """The embedder that settings name, if any: a folder, or "" for the built-in one; `Problem`."""
    if model is None:
        return None
    with _problems():
        return open_embedder(model)


@contextmanager
def _problems() -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise Problem("model_unusable", str(error)) from None


def identity_of(model: str) -> str:
    """The identity of the embedder that `choose_embedder` gives.

    The built-in table is as its card says, unless this program is damaged: it is not opened, which
    reads all of it. Whoever embeds with it finds that out.
    """
    with _problems():
        if model:
            return open_embedder(model).identity
        card = read_card(os.path.join(BUILT_IN, CARD))
        return identity_of_table(card["digest"], card.get(SIDES, {}).get("digest", ""))


@cache
def open_embedder(path: str) -> Embedder:
    """The embedder of a folder, the built-in one for an empty path; `ModelError`."""
    from pathlib import Path  # noqa: PLC0415 few embed

    from repo_mcp.vectors.embedder import WordEmbedder  # noqa: PLC0415 as above
    from repo_mcp.vectors.sentences import GRAPHS, find_graph, open_sentences  # noqa: PLC0415 as above
    from repo_mcp.vectors.sides import open_sides  # noqa: PLC0415 as above
    from repo_mcp.vectors.tokens import TENSORS, open_tokens  # noqa: PLC0415 as above

    folder = Path(path or BUILT_IN)
    if (folder / CARD).exists():
        table = open_table(folder)
        return WordEmbedder(table, open_sides(folder, table))
    if (folder / TENSORS).exists():
        return WordEmbedder(open_tokens(folder))
    graph = find_graph(folder)
    if graph is not None:
        return open_sentences(folder, graph)
    files = ", ".join((CARD, TENSORS, GRAPHS[0]))
    raise ModelError(folder, f"no model there, which would have one of {files}")
