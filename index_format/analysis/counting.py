"""Counts the terms of text for the index, with compiled code if it is available.

Both implementations give the same terms and counts, so that indexes don't differ.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.analysis.word_pairs import PairCounter
from index_format.analysis.words import LONG_WORD, terms
from index_format.model import ChunkTokens, Tokens, Vocabulary
from index_format.native import NATIVE, Native, PlainWordCounter, TermCounter
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

# part of the index's signature: raise it when terms change
VERSION: Final = 6
COMPILED: Final = NATIVE is not None
LONG_TERM: Final = LONG_WORD.encode()
# words whose terms are remembered; bounds memory
_MAX_REMEMBERED: Final = 150_000


I64: TypeAlias = "npt.NDArray[np.int64]"
U32: TypeAlias = "npt.NDArray[np.uint32]"


class CountedText(NamedTuple):
    """The terms of a text, how often each occurs, and how often not as a whole of several parts."""

    tokens: Tokens
    part_times: U32


class Analyser:
    """Counts terms and numbers them in a vocabulary; caches the terms of each word."""

    def __init__(self, native: Native | None = NATIVE) -> None:
        """Count with compiled code, or several times slower without."""
        self._native = native
        self._kind: type[TermCounter] = PlainWordCounter if native is None else native.WordCounter
        self._pairs: PairCounter | None = None
        self._start(Vocabulary())

    @property
    def is_full(self) -> bool:
        """True if the cache of words is full, so that a new vocabulary is due."""
        return len(self._counter) > _MAX_REMEMBERED

    def count(self, pieces: Sequence[str | bytes], vocabulary: Vocabulary) -> list[Tokens]:
        """The terms of each piece and how often each occurs; bytes are ASCII text."""
        return [item.tokens for item in self.count_texts(pieces, vocabulary)]

    def count_texts(
        self, pieces: Sequence[str | bytes], vocabulary: Vocabulary
    ) -> list[CountedText]:
        """The same, and how often each term is a part."""
        numbers, times, edges, wholes = self._count(pieces, vocabulary)
        parts = times - wholes
        return [
            CountedText(Tokens(numbers[begin:end], None, times[begin:end]), parts[begin:end])
            for begin, end in pairwise(edges)
        ]

    def count_groups(
        self, groups: Iterable[Sequence[str]], vocabulary: Vocabulary
    ) -> list[ChunkTokens]:
        """The terms of each group of pieces as a column, which takes less time for short ones."""
        groups = list(groups)
        pieces = list(chain.from_iterable(groups))
        numbers, times, edges, _ = self._count(pieces, vocabulary)
        found: list[ChunkTokens] = []
        first = 0
        for group in groups:
            bounds = edges[first : first + len(group) + 1]
            begin, end = bounds[0], bounds[-1]
            tokens = Tokens(numbers[begin:end], None, times[begin:end])
            found.append(ChunkTokens(tokens, [b - a for a, b in pairwise(bounds)]))
            first += len(group)
        return found

    def _count(
        self, pieces: Sequence[str | bytes], vocabulary: Vocabulary
    ) -> tuple[U32, U32, list[int], U32]:
        """Terms, how often each occurs, the first of each piece, and how often each is no part."""
        if vocabulary is not self._vocabulary:
            self._start(vocabulary)
        try:
            found = self._counter.count(pieces, self._number, split_other)
        except BaseException:
            # the vocabulary may have terms that the counter does not know
            self._start(vocabulary)
            raise
        numbers, times, wholes = (
            np.frombuffer(data, dtype=np.uint32) for data in (*found[:2], found[3])
        )
        return numbers, times, [0, *found[2]], wholes

    def count_pairs(
        self, texts: Sequence[tuple[str | bytes, I64]], vocabulary: Vocabulary
    ) -> list[Tokens]:
        """The pairs of common words in each stretch of each text; see `PairCounter`."""
        if vocabulary is not self._vocabulary:
            self._start(vocabulary)
        if self._pairs is None:
            self._pairs = PairCounter(self._native)
        try:
            return self._pairs.count(texts, self._number)
        except BaseException:
            self._start(vocabulary)
            raise

    def _start(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._numbered = 0
        # a random key, so that nobody can choose words whose hashes collide
        self._pairs = None
        self._counter = self._kind(os.urandom(16), LONG_TERM)

    def _number(self, new: list[bytes]) -> list[int]:
        """Numbers of terms that are new to the counter.

        Unless somebody else has extended the vocabulary, they are new to it too and need no lookup:
        a pair has a blank, which no other term has.
        """
        first = len(self._vocabulary)
        if first != self._numbered:
            return self._vocabulary.numbers(new)
        self._vocabulary.extend(new)
        self._numbered += len(new)
        return list(range(first, self._numbered))


def split_other(word: bytes) -> list[bytes]:
    """The terms of a word that is not ASCII, split by Whoosh."""
    found = terms(word.decode("utf-8", "surrogatepass"))
    return [term.encode("utf-8", "surrogatepass") for term in found]
