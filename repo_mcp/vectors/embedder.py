"""Embedders: what turns texts into vectors, the built-in table of words among them.

Vectors of chunks are computed when a file is indexed and stored with it, packed (`packing.py`). The
identity of an embedder is part of the index's signature, so vectors of two never meet.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np

from index_format import Tokens, Vocabulary
from index_format.analysis.counting import Analyser, CountedText
from index_format.tuples import NamedTuple
from repo_mcp.vectors import packing, sums, words
from repo_mcp.vectors.model import GramTable, WordTable

if TYPE_CHECKING:
    import numpy.typing as npt

    from repo_mcp.vectors.sides import WordSides

I8: TypeAlias = "npt.NDArray[np.int8]"
F64: TypeAlias = "npt.NDArray[np.float64]"
_NOTHING: Final = np.zeros(0, dtype=np.uint32)
# the counted terms of the path of what has none
NO_PATH: Final = CountedText(Tokens(_NOTHING, None, _NOTHING), _NOTHING)
# nearest words below this cosine mean something else (decision 0039)
LEAST_COSINE: Final = 0.55
_MOST_NEAREST: Final = 24
_ROWS_AT_ONCE: Final = 4096  # bounds memory


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
        """The model's name in status."""

    @property
    def width(self) -> int:
        """Bytes of a packed vector."""

    def embed(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The packed vector of each chunk; terms are numbered by the vocabulary."""

    def embed_query(self, text: str) -> I8:
        """The vector of a query, not packed; of zeros where none of its words counts."""

    def embed_declarations(self, texts: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The finely packed vector of each declaration, which a question is compared with."""

    def embed_question(self, text: str) -> I8:
        """The vector of a question, to be compared with those of declarations."""

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """Words that mean nearly the same, with cosines; none where words have no vectors."""

    def vectors(self, texts: Sequence[str | bytes]) -> I8:
        """The vectors of declarations, one a row, not packed; bytes are ASCII text."""


class WordEmbedder:
    """Embeds by a table of word vectors, from the terms that indexing has counted."""

    def __init__(self, table: WordTable, sides: WordSides | None = None) -> None:
        """Sum nothing yet; without `sides`, one table is of all texts."""
        self._table = table
        self._sides = sides
        self._queries = sums.PlainSums(table)
        self._nearest = NearestWords(table) if isinstance(table, GramTable) else None
        self._chunks = _CountedVectors(table)

    @property
    def identity(self) -> str:
        """The digests of the tables, and the versions of what is done with them."""
        sides = "" if self._sides is None else self._sides.digest
        return sums.identity_of_table(self._table.digest, sides)

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
        return _rows(packing.pack(self._chunks.of(chunks, vocabulary)))

    def embed_declarations(self, texts: Sequence[ChunkText], vocabulary: Vocabulary) -> list[bytes]:
        """The finely packed vector of each declaration."""
        return _rows(packing.pack_finely(self._declarations.of(texts, vocabulary)))

    @cached_property
    def _declarations(self) -> _CountedVectors:
        return self._chunks if self._sides is None else _CountedVectors(self._sides.code)

    def embed_question(self, text: str) -> I8:
        """The vector of a question."""
        counts, sides = words.count_parts(text), self._sides
        found = self._queries.vector(counts) if sides is None else sides.question(counts)
        return np.frombuffer(found, dtype=np.int8)

    @cached_property
    def _texts(self) -> _TextVectors:
        return _TextVectors(self._table if self._sides is None else self._sides.code)

    def embed_query(self, text: str) -> I8:
        """The vector of a query."""
        return np.frombuffer(self._queries.vector(words.count_parts(text)), dtype=np.int8)

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """The nearest words of a table that has words of its own."""
        return [] if self._nearest is None else self._nearest.of(word)

    def vectors(self, texts: Sequence[str | bytes]) -> I8:
        """The vectors of texts without paths, not packed."""
        return self._texts.of(texts)


def _rows(packed: packing.U8) -> list[bytes]:
    return [row.tobytes() for row in packed]


class _CountedVectors:
    """Vectors of texts whose terms are counted, as long as one vocabulary grows."""

    def __init__(self, table: WordTable) -> None:
        self._table = table
        self._sums: sums.TextSums | None = None
        self._vocabulary: Vocabulary | None = None

    def of(self, texts: Sequence[ChunkText], vocabulary: Vocabulary) -> I8:
        """The vector of each text, one a row."""
        if not texts:
            return np.zeros((0, self._table.dimensions), dtype=np.int8)
        if self._sums is None or vocabulary is not self._vocabulary:
            self._sums, self._vocabulary = sums.text_sums(self._table), vocabulary
        parts = [part for text in texts for part in text.counted]
        return _sum_counted(self._sums, vocabulary, parts, 2)


class _TextVectors:
    """Vectors of texts outside of an index, whose words are numbered here; thread-safe."""

    def __init__(self, table: WordTable) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._analyser = Analyser()
        self._vocabulary: Vocabulary | None = None

    def of(self, texts: Sequence[str | bytes]) -> I8:
        with self._lock:
            if self._vocabulary is None or self._analyser.is_full:
                self._vocabulary = Vocabulary()
                self._sums = sums.text_sums(self._table)
            counted = self._analyser.count_texts(texts, self._vocabulary)
            found = _sum_counted(self._sums, self._vocabulary, counted, 1)
            return found.reshape(len(texts), self._table.dimensions)


def _sum_counted(
    text_sums: sums.TextSums, vocabulary: Vocabulary, parts: Sequence[CountedText], of_each: int
) -> I8:
    """The vectors of texts that have so many parts each."""
    terms = np.concatenate([part.tokens.words for part in parts] or [_NOTHING])
    times = np.concatenate([part.part_times for part in parts] or [_NOTHING])
    ends = list(accumulate(len(part.part_times) for part in parts))[of_each - 1 :: of_each]
    found = text_sums.sum(vocabulary.words, terms.tobytes(), times.tobytes(), ends)
    count = len(parts) // of_each
    return np.frombuffer(found, dtype=np.int8).reshape(count, len(found) // max(count, 1))


def count_paths(
    paths: Sequence[str], analyser: Analyser, vocabulary: Vocabulary
) -> list[CountedText]:
    """The counted terms of what of each path counts with its text."""
    return analyser.count_texts([words.path_words(path) for path in paths], vocabulary)


class NearestWords:
    """Compares words of a table; the lengths of its rows are computed once."""

    def __init__(self, table: GramTable) -> None:
        """Read nothing yet."""
        self._table = table

    @cached_property
    def _lengths(self) -> F64:
        rows = self._table.rows[: len(self._table.words)]
        parts = (rows[at : at + _ROWS_AT_ONCE] for at in range(0, len(rows), _ROWS_AT_ONCE))
        squares = [np.square(part, dtype=np.float32).sum(axis=1) for part in parts]
        lengths: F64 = np.sqrt(np.maximum(np.concatenate(squares).astype(np.float64), 1.0))
        return lengths

    def of(self, word: str) -> list[tuple[str, float]]:
        """The words above the bound with their cosines, nearest first; none for one it lacks."""
        row = self._table.row_of(word.encode("utf-8", "surrogatepass"))
        if row is None:
            return []
        one, count = self._table.rows[row].astype(np.float32), len(self._table.words)
        dots = np.zeros(count)
        for at in range(0, count, _ROWS_AT_ONCE):
            part = self._table.rows[at : min(at + _ROWS_AT_ONCE, count)]
            # sums of small whole numbers: the same on every machine
            dots[at : at + len(part)] = part.astype(np.float32) @ one
        cosines = dots / (self._lengths * self._lengths[row])
        cosines[row] = 0.0
        near = (cosines >= LEAST_COSINE).nonzero()[0]
        order = near[np.lexsort((near, -cosines[near]))][:_MOST_NEAREST]
        return [(self._table.words[at].decode(), float(cosines[at])) for at in order.tolist()]
