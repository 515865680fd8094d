"""Selects words within a few edits of a text, with one dynamic-programming table for all words.

An edit inserts, removes or replaces one character, as in Whoosh's Levenshtein automaton.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

# words handled together; bounds the memory a table takes
_BATCH: Final = 1 << 14


def select_near(words: Iterable[str], text: str, limit: int) -> Iterator[str]:
    """The words at most `limit` edits away from `text`, in their order."""
    shortest, longest = len(text) - limit, len(text) + limit
    possible = (word for word in words if shortest <= len(word) <= longest)
    while batch := list(islice(possible, _BATCH)):
        near = (_distances(batch, text, limit) <= limit).nonzero()[0]
        yield from (batch[at] for at in near.tolist())


def _distances(words: list[str], text: str, limit: int) -> npt.NDArray[np.int32]:
    """Distances of words from a text; any distance beyond the limit is given as limit + 1."""
    lengths = np.array([len(word) for word in words])
    longest = int(lengths.max(initial=0))
    letters = _letters(words, longest)
    beyond = limit + 1
    table = np.full((longest + 1, len(words)), beyond, dtype=np.int32)
    for at in range(min(limit, longest) + 1):
        table[at] = at
    for row, letter in enumerate(map(ord, text), 1):
        # cells further from the diagonal than the limit can't be within it
        first, last = max(1, row - limit), min(longest, row + limit)
        diagonal = table[first - 1].copy()
        table[first - 1] = row if first == 1 else beyond
        for at in range(first, last + 1):
            replaced = diagonal + (letters[at - 1] != letter)
            diagonal = table[at].copy()
            table[at] = np.minimum(replaced, np.minimum(diagonal, table[at - 1]) + 1)
    distances: npt.NDArray[np.int32] = table[lengths, np.arange(len(words))]
    return distances


def _letters(words: list[str], longest: int) -> npt.NDArray[np.uint32]:
    """Code points, (place, word)."""
    if not longest:
        return np.zeros((0, len(words)), dtype=np.uint32)
    padded = np.array(words, dtype=f"=U{longest}").view(np.uint32)
    return np.ascontiguousarray(padded.reshape(-1, longest).T)
