"""Embedders: what turns texts into vectors, the built-in table of words among them.

Vectors of chunks are computed when a file is indexed and stored with it, packed (`packing.py`). The
identity of an embedder is part of the index's signature, so vectors of two never meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from index_format import Vocabulary
from repo_mcp.text.counting import Analyser, CountedText
from repo_mcp.vectors import packing, sums, words
from repo_mcp.vectors.model import GramTable, WordTable
from repo_mcp.vectors.nearest import NearestWords

I8 = npt.NDArray[np.int8]
_NOTHING: Final = np.zeros(0, dtype=np.uint32)


class ChunkText(NamedTuple):
    """A chunk to embed: its lines, the path of its file, and the counted terms of both."""

    text: str | bytes
    path: str
    counted: tuple[CountedText, CountedText]


class Embedder(Protocol):
    """Turns texts into vectors; equal texts get equal vectors."""

    @property
    def identity(self) -> str:
        """A text that differs for models whose vectors can't be compared."""

    @property
    def name(self) -> str:
        """What status calls the model."""

    @property
    def width(self) -> int:
        """Bytes of a packed vector."""

    def embed(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The packed vector of each chunk; terms are numbered by the vocabulary."""

    def question(self, text: str) -> I8:
        """The vector of a question, not packed; of zeros where none of its words counts."""

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """Words that mean nearly the same, with cosines; none where words have no vectors."""


class WordEmbedder:
    """Embeds by a table of word vectors, from the terms that indexing has counted."""

    def __init__(self, table: WordTable) -> None:
        """Sum nothing yet."""
        self._table = table
        self._questions = sums.PlainSums(table)
        self._nearest = NearestWords(table) if isinstance(table, GramTable) else None
        self._sums: sums.TextSums | None = None
        self._vocabulary: Vocabulary | None = None

    @property
    def identity(self) -> str:
        """The digest of the table, and the versions of what is done with it."""
        versions = (words.VERSION, sums.VERSION, packing.VERSION)
        return f"words {self._table.digest} {versions}"

    @property
    def name(self) -> str:
        """The kind of table, and the beginning of its digest."""
        return f"words-{self._table.dimensions}-{self._table.digest[:8]}"

    @property
    def width(self) -> int:
        """Bytes of a packed vector."""
        return packing.width(self._table.dimensions)

    def embed(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The packed vector of each chunk."""
        if not chunks:
            return []
        if self._sums is None or vocabulary is not self._vocabulary:
            self._sums, self._vocabulary = sums.text_sums(self._table), vocabulary
        parts = [part for chunk in chunks for part in chunk.counted]
        terms = np.concatenate([part.tokens.words for part in parts] or [_NOTHING])
        times = np.concatenate([part.part_times for part in parts] or [_NOTHING])
        ends = list(accumulate(len(part.part_times) for part in parts))[1::2]
        found = self._sums.sum(vocabulary.words, terms.tobytes(), times.tobytes(), ends)
        vectors = np.frombuffer(found, dtype=np.int8).reshape(len(chunks), self._table.dimensions)
        return [row.tobytes() for row in packing.pack(vectors)]

    def question(self, text: str) -> I8:
        """The vector of a question."""
        return np.frombuffer(self._questions.vector(words.count_parts(text)), dtype=np.int8)

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """The nearest words of a table that has words of its own."""
        return [] if self._nearest is None else self._nearest.of(word)


def count_paths(
    paths: Sequence[str], analyser: Analyser, vocabulary: Vocabulary
) -> list[CountedText]:
    """The counted terms of what of each path counts with its text."""
    return analyser.count_texts([words.path_words(path) for path in paths], vocabulary)
