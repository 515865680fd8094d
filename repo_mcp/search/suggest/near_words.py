"""Finds words in the index that are spelled nearly like a given one, with Whoosh's corrector.

Candidates are words with the same first two letters, and corrections of likely typos: comparing all
words of a large index would take too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Final

import numpy as np
from whoosh.spelling import Corrector

from index_format import Snapshot, TermCounts, list_prefix_terms, select_near
from index_format.analysis.words import MAX_WORD
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.stored import BODY

_SHORTEST: Final = 3
# words of at least so many letters may differ by two edits
_LONG: Final = 5
# first letters that candidates share with the word
_ALIKE: Final = 2
# candidates whose live chunks are counted
_COUNTED: Final = 32


class NearWord(NamedTuple):
    """A word of the index and the number of chunks that contain it."""

    text: str
    chunks: int


class NearWords(Corrector):  # type: ignore[misc]
    """Suggests words of a field: the nearest first, then the most frequent, then by text."""

    def __init__(self, snapshot: Snapshot, budget: Budget, field: str = BODY) -> None:
        number = snapshot.schema.number(field)
        if number is None:
            raise ValueError(snapshot.schema)
        self._snapshot = snapshot
        self._field = number
        self._budget = budget

    def chunks(self, word: str) -> int:
        """The number of live chunks that contain a word."""
        return self._counts([word])[word]

    def is_known(self, word: str) -> bool:
        """True if any field of a live chunk contains a word."""
        fields = range(len(self._snapshot.schema.fields))
        term = _bytes(word.lower())
        counts = self._snapshot.ask(TermCounts(tuple((field, term) for field in fields)))
        return any(counts)

    def _counts(self, words: Iterable[str]) -> dict[str, int]:
        """The numbers of live chunks that contain words."""
        named = list(words)
        terms = tuple((self._field, _bytes(word.lower())) for word in named)
        counts = self._snapshot.ask(TermCounts(terms))
        return dict(zip(named, counts, strict=True))

    def near(self, word: str, most: int) -> list[NearWord]:
        """The best `most` suggestions; none for a short word, or one with few letters."""
        small = word.lower()
        letters = sum(map(str.isalpha, small))
        if not _SHORTEST <= len(small) <= MAX_WORD or 2 * letters <= len(small):
            return []
        if small[0].isdigit():  # a number is near too many others
            return []
        distance = 2 if len(small) >= _LONG else 1
        found = self.suggest(small, limit=_COUNTED, maxdist=distance)
        return [NearWord(*item) for item in self._counts(found[:most]).items()]

    def _suggestions(self, text: str, maxdist: int, prefix: int) -> Iterator[tuple[float, str]]:
        """Whoosh's hook of a corrector: words with their scores, which are below 0."""
        typos = self._counts(undo_typos(text))
        alike = self._alike(text, maxdist, prefix)
        near = dict.fromkeys(select_near(alike, text, maxdist), maxdist)
        near.update(dict.fromkeys(select_near(list(near), text, 1), 1))
        near.update({word: 1 for word, count in typos.items() if count})
        near.pop(text, None)
        common = {**alike, **typos}
        if any(segment.dead_files for segment in self._snapshot.segments):
            common = self._counts(near)
        first = sorted(near, key=lambda word: (near[word], -common[word], word))[:_COUNTED]
        for word, count in self._counts(first).items():
            if count:
                yield -near[word] - 0.5 / count, word

    def _alike(self, text: str, maxdist: int, prefix: int) -> dict[str, int]:
        """Words of about the same length with the same first letters, and their chunk counts."""
        begin = _bytes(text[: prefix or _ALIKE])
        # a replacing letter may take more bytes than the original
        shortest, longest = len(text) - maxdist, len(_bytes(text)) + 2 * maxdist
        found: dict[bytes, int] = {}
        for terms, chunks in list_prefix_terms(self._snapshot, self._field, begin):
            self._budget.check()
            sizes = np.fromiter(map(len, terms), np.int64, len(terms))
            fitting = (sizes >= shortest) & (sizes <= longest)
            chosen = compress(terms, fitting.tolist())
            for term, count in zip(chosen, chunks[fitting].tolist(), strict=True):
                found[term] = found.get(term, 0) + count
        return {word.decode("utf-8", "surrogatepass"): count for word, count in found.items()}


def undo_typos(text: str) -> list[str]:
    """Corrections of likely typos: two letters swapped, or an extra one of the first two."""
    swapped = [text[:at] + text[at + 1] + text[at] + text[at + 2 :] for at in range(len(text) - 1)]
    return [*dict.fromkeys([*swapped, text[1:], text[:1] + text[2:]])]


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")
