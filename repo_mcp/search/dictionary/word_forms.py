"""Finds the other forms of a word that the dictionary has: those with the same stem.

Forms of a word begin alike, so they stand together in the sorted dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from Stemmer import Stemmer

from index_format import Snapshot, list_prefix_terms
from repo_mcp.stored import BODY

# shorter words have no other forms, or too many words begin alike
_SHORTEST: Final = 4
# letters by which a form is longer than the stem, at most: "hydrat" and "hydrations"
_LONGEST_ENDING: Final = 6
# the most frequent forms of a word that are looked up
_MOST_FORMS: Final = 4
_REMEMBERED: Final = 1 << 14
# a stem's last letter that its forms may lack: "pari(ty)", "hop(ing)" of "hope"
_UNSTABLE: Final = "aeiy"


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The stem of an English word, the same for all its forms."""
    return str(_STEMMER.stemWord(word)) if is_inflected(word) else word


def stems(words: Iterable[str]) -> frozenset[str]:
    """The stems of words."""
    return frozenset(map(stem, words))


def is_inflected(word: str) -> bool:
    """Whether a word may have other forms: it consists of letters, and is not too short."""
    return len(word) >= _SHORTEST and word.isascii() and word.isalpha()


def other_forms(snapshot: Snapshot, word: str) -> tuple[str, ...]:
    """The most frequent other words of the body with the same stem; the last ones are cached."""
    known = _FORMS.setdefault(snapshot, {})
    found = known.get(word)
    if found is None:
        if len(known) >= _REMEMBERED:
            known.clear()
        found = known[word] = tuple(_find_forms(snapshot, word))
    return found


def _find_forms(snapshot: Snapshot, word: str) -> list[str]:
    field = snapshot.schema.number(BODY)
    if field is None or not is_inflected(word):
        return []
    stemmed = stem(word)
    begin = stemmed[:-1] if stemmed[-1] in _UNSTABLE else stemmed
    if len(begin) < _SHORTEST - 1 or not word.startswith(begin):
        return []
    counts: dict[bytes, int] = {}
    longest = len(stemmed) + _LONGEST_ENDING
    for terms, chunks in list_prefix_terms(snapshot, field, begin.encode()):
        sizes = np.fromiter(map(len, terms), np.int64, len(terms))
        for at in (sizes <= longest).nonzero()[0].tolist():
            term = terms[at]
            if term.isalpha() and stem(term.decode("ascii", "replace")) == stemmed:
                counts[term] = counts.get(term, 0) + int(chunks[at])
    counts.pop(word.encode(), None)
    best = sorted(counts, key=lambda term: (-counts[term], term))
    return [term.decode() for term in best[:_MOST_FORMS]]


_FORMS: Final[WeakKeyDictionary[Snapshot, dict[str, tuple[str, ...]]]] = WeakKeyDictionary()
_STEMMER: Final = Stemmer("english", 0)
