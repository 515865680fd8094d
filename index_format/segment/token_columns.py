"""The tokens of one field in many chunks as flat arrays, checked together.

A batch has tens of thousands of chunks with few words each: a check per chunk would cost more than
all work on the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from index_format.codec.bits import I64, U32, exclusive_sum, steps
from index_format.errors import InvalidInputError
from index_format.model import Document, Tokens
from index_format.records import Record

_EMPTY: Final = np.zeros(0, dtype=np.uint32)
_HALF: Final = 1 << 32


class TokenColumn(Record):
    """One field: its tokens, and for each chunk how many entries it has."""

    name: str
    stored: bool
    items: Sequence[Tokens]  # of the chunks that have the field, or of a document's whole column
    counts: I64  # of all chunks
    words: U32  # of all entries
    counted: U32 | None  # how often each entry counts; None where all count once
    is_joined: bool = False  # true if a document gives a column

    @property
    def edges(self) -> I64:
        """First entry of each chunk, and for the end."""
        return exclusive_sum(self.counts)

    def frequencies(self) -> U32:
        """The frequency of each entry."""
        if self.counted is None:
            return np.ones(len(self.words), dtype=np.uint32)
        return self.counted.astype(np.uint32, copy=False)

    def positions(self) -> U32:
        """Places of all entries."""
        steps = np.arange(int(self.counts.max(initial=0)), dtype=np.uint32)
        return _join(
            [
                steps[: len(item.words)] if item.positions is None else item.positions
                for item in self.items
            ]
        )

    def occurrences(self) -> I64:
        """Count of words in each chunk."""
        if self.counted is None:
            return self.counts
        sums = np.zeros(len(self.counts), dtype=np.int64)
        filled = self.counts.nonzero()[0]
        if len(filled):
            # no chunk has 2**32 words, so they may be summed as they are
            sums[filled] = np.add.reduceat(self.counted, self.edges[filled])
        return sums

    def problem(self, words: int) -> str | None:
        """The reason that the column can't be stored, or None; `words` is the vocabulary's size."""
        if self.stored and self.is_joined:
            return "a field with positions is given chunk by chunk"
        if int(self.counts.sum()) != len(self.words) or int(self.counts.min(initial=0)) < 0:
            return "the counts of a column's chunks must be those of its words"
        if len(self.words) and int(self.words.max()) >= words:
            return f"a word number beyond the vocabulary's {words}"
        if not all(_positions_fit(item) for item in self.items if item.positions is not None):
            return "positions must be as many as words and must not descend"
        return None if self.counted is None else self._problem_of_counted(self.counted)

    def _problem_of_counted(self, frequencies: U32) -> str | None:
        for item in self.items:
            if item.frequencies is None:
                continue
            if self.stored or item.positions is not None:
                return "counted words must have no positions, in a field without positions"
            if len(item.words) != len(item.frequencies):
                return "frequencies must be as many as words"
        if len(frequencies) and int(frequencies.min()) < 1:
            return f"a frequency must be 1 or more, not {int(frequencies.min())}"
        if int(frequencies.sum(dtype=np.int64)) >= _HALF:
            return "the words of a field must be fewer than 2**32"
        return None


def make_column(name: str, documents: Sequence[Document], *, stored: bool) -> TokenColumn:
    """The tokens of a field in these documents; `stored` says whether it keeps positions."""
    items: list[Tokens] = []
    counts: list[int] = []
    for document in documents:
        column = document.columns.get(name)
        if column is not None:
            items.append(column.tokens)
            counts += column.counts
            continue
        found = [chunk.fields.get(name) for chunk in document.chunks]
        items += [item for item in found if item is not None]
        counts += [0 if item is None else len(item.words) for item in found]
    return TokenColumn(
        name,
        stored,
        items,
        np.array(counts, dtype=np.int64),
        _join([item.words for item in items]),
        _join_frequencies(items),
        any(name in document.columns for document in documents),
    )


def _join_frequencies(items: Sequence[Tokens]) -> U32 | None:
    if all(item.frequencies is None for item in items):
        return None
    ones = np.ones(max(len(item.words) for item in items), dtype=np.uint32)
    return _join(
        [
            ones[: len(item.words)] if item.frequencies is None else item.frequencies
            for item in items
        ]
    )


def refuse(path: str, column: TokenColumn, words: int) -> None:
    """Raise the error for a document's column that can't be stored."""
    problem = column.problem(words)
    if problem is not None:
        msg = f"{path}: {column.name}: {problem}"
        raise InvalidInputError(msg)


def _positions_fit(tokens: Tokens) -> bool:
    places = tokens.positions
    if places is None:
        return True
    ascending = steps(places.astype(np.int64)) >= 0
    return len(places) == len(tokens.words) and bool(ascending.all())


def _join(parts: Sequence[U32]) -> U32:
    return np.concatenate(parts) if parts else _EMPTY
