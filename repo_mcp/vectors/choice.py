"""Opens the embedder that settings choose: the built-in table, or a model in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from repo_mcp.errors import Problem
from repo_mcp.vectors import packing
from repo_mcp.vectors.model import CARD, SIDES, ModelError, open_table, read_card
from repo_mcp.vectors.sums import identity_of_table

if TYPE_CHECKING:
    from index_format import Vocabulary
    from repo_mcp.vectors.embedder import I8, ChunkText, Embedder

BUILT_IN: Final = os.path.join(os.path.dirname(__file__), "data")
# what a sentence encoder has, which is none of an index
GRAPHS: Final = ("model.onnx", "onnx/model.onnx")


def choose_embedder(model: str | None) -> Embedder | None:
    """The embedder that settings name, if any: a folder, or "" for the built-in one; `Problem`."""
    if model is None:
        return None
    if not model:
        return _BUILT_IN_EMBEDDER
    with _problems():
        return open_embedder(model)


class BuiltInEmbedder:
    """The built-in table, which is opened for the first text: short queries are none to it."""

    @property
    def identity(self) -> str:
        """As its card says."""
        return identity_of("")

    @property
    def name(self) -> str:
        """The kind of table, and the beginning of its digest."""
        return self._opened.name

    @cached_property
    def width(self) -> int:
        """Bytes of a packed vector."""
        return packing.width(read_card(os.path.join(BUILT_IN, CARD))["dimensions"])

    @cached_property
    def _opened(self) -> Embedder:
        with _problems():
            return open_embedder("")

    def embed(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The packed vector of each chunk."""
        return self._opened.embed(chunks, vocabulary)

    def embed_query(self, text: str) -> I8:
        """The vector of a query."""
        return self._opened.embed_query(text)

    def embed_declarations(self, texts: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The finely packed vector of each declaration."""
        return self._opened.embed_declarations(texts, vocabulary)

    def embed_question(self, text: str) -> I8:
        """The vector of a question."""
        return self._opened.embed_question(text)

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """Words that mean nearly the same, with cosines."""
        return self._opened.nearest(word)

    def vectors(self, texts: Sequence[str | bytes]) -> I8:
        """The vectors of declarations, one a row."""
        return self._opened.vectors(texts)


_BUILT_IN_EMBEDDER: Final = BuiltInEmbedder()


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
    from repo_mcp.vectors.embedder import WordEmbedder  # noqa: PLC0415 few embed
    from repo_mcp.vectors.sides import open_sides  # noqa: PLC0415 as above

    if os.path.exists(os.path.join(path or BUILT_IN, CARD)):
        table = open_table(path or BUILT_IN)
        return WordEmbedder(table, open_sides(path or BUILT_IN, table))
    from pathlib import Path  # noqa: PLC0415 as above

    from repo_mcp.vectors.tokens import TENSORS, open_tokens  # noqa: PLC0415 as above

    folder = Path(path or BUILT_IN)
    if (folder / TENSORS).exists():
        return WordEmbedder(open_tokens(folder))
    if any((folder / name).exists() for name in GRAPHS):
        raise ModelError(folder, "a sentence encoder, which is for --function-encoder")
    raise ModelError(folder, f"no model there, which would have {CARD} or {TENSORS}")
