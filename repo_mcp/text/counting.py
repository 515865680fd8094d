"""Counts the terms of many pieces of text at once: what the index stores of them.

A compiled module does it where there is one. Both ways find the same terms the same number of
times, so that it can't be told from an index which of them made it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from index_format import Tokens, Vocabulary
from repo_mcp.text.plain_counting import LONG_WORD, MAX_WORD, PlainCounter, terms_of_other

try:
    from repo_mcp.text import _counting
except ImportError:
    COMPILED = False
else:
    # one that was left over from another version of its source is not used
    COMPILED = _counting.VERSION == 1  # the same as in `_counting.c`

__all__ = ["COMPILED", "LONG_WORD", "MAX_WORD", "VERSION", "Analyser"]

# part of what decides whether an index fits this program: raise it when terms change
VERSION: Final = 5
_MAX_REMEMBERED: Final = 600_000


class Analyser:
    """Numbers and counts terms in a vocabulary; remembers what each word gives."""

    def __init__(self, *, compiled: bool = COMPILED) -> None:
        """Start with nothing remembered."""
        self._kind: type[CompiledCounter | PlainCounter] = (
            CompiledCounter if compiled else PlainCounter
        )
        self._vocabulary = Vocabulary()
        self._counter: _Counter = self._kind(self._vocabulary)

    @property
    def is_full(self) -> bool:
        """Whether so much is remembered that a new vocabulary is due."""
        return len(self._counter) > _MAX_REMEMBERED

    def counted(self, pieces: Sequence[str | bytes], vocabulary: Vocabulary) -> list[Tokens]:
        """The terms of each piece and how often each occurs; bytes are ASCII text."""
        if vocabulary is not self._vocabulary:
            self._vocabulary = vocabulary
            self._counter = self._kind(vocabulary)
        try:
            return self._counter.counted(pieces)
        except BaseException:
            # what was numbered may not have been understood
            self._counter = self._kind(vocabulary)
            raise


class _Counter(Protocol):
    def __len__(self) -> int: ...

    def counted(self, pieces: Sequence[str | bytes]) -> list[Tokens]: ...


class CompiledCounter:
    """The same as `PlainCounter`, many times faster; a term comes up once in a piece."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Start with nothing remembered."""
        self._vocabulary = vocabulary
        self._numbered = 0
        # nobody can choose words that collide
        self._words = _counting.WordCounter(os.urandom(16))

    def __len__(self) -> int:
        """How many words are remembered."""
        return len(self._words)

    def counted(self, pieces: Sequence[str | bytes]) -> list[Tokens]:
        """The terms of each piece and how often each occurs."""
        found = self._words.count(pieces, self._numbers, terms_of_other)
        terms, times = (np.frombuffer(data, dtype=np.uint32) for data in found[:2])
        return [
            Tokens(terms[begin:end], None, times[begin:end])
            for begin, end in pairwise([0, *found[2]])
        ]

    def _numbers(self, terms: list[bytes]) -> list[int]:
        """Numbers of terms it meets for the first time: new ones, while it alone gives them."""
        first = len(self._vocabulary)
        if first != self._numbered:
            return self._vocabulary.numbers(terms)
        self._vocabulary.extend(terms)
        self._numbered += len(terms)
        return list(range(first, self._numbered))
