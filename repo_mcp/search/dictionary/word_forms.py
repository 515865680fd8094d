"""Finds the other forms of a word that the dictionary has: those with the same stem.

Forms of a word begin alike, so they stand together in the sorted dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from Stemmer import Stemmer

from index_format import PrefixTerms, Snapshot, list_prefix_terms
from repo_mcp.stored import BODY

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"

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
    """True if a word may have other forms: it consists of letters, and is not too short."""
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


def prefetch_forms(snapshot: Snapshot, words: Iterable[str]) -> None:
    """Find the other forms of several words in one go, for a distributed snapshot."""
    known = _FORMS.setdefault(snapshot, {})
    begins = {word: _beginning(word) for word in words if word not in known}
    begun = tuple(dict.fromkeys(begin.encode() for begin in begins.values() if begin))
    field = snapshot.schema.number(BODY)
    if not begun or field is None:
        return
    found = snapshot.ask(PrefixTerms(field, begun)).values()
    for word, begin in begins.items():
        pages = [page for part in found for page in part[begin.encode()]] if begin else []
        known[word] = tuple(_choose_forms(pages, word))


def _beginning(word: str) -> str:
    """The common beginning of a word's forms; empty for one without other forms."""
    if not is_inflected(word):
        return ""
    stemmed = stem(word)
    begin = stemmed[:-1] if stemmed[-1] in _UNSTABLE else stemmed
    return "" if len(begin) < _SHORTEST - 1 or not word.startswith(begin) else begin


def _find_forms(snapshot: Snapshot, word: str) -> list[str]:
    field, begin = snapshot.schema.number(BODY), _beginning(word)
    if field is None or not begin:
        return []
    return _choose_forms(list_prefix_terms(snapshot, field, begin.encode()), word)


def _choose_forms(pages: Iterable[tuple[list[bytes], I64]], word: str) -> list[str]:
    """The most frequent forms of a word among terms with their counts of chunks."""
    stemmed = stem(word)
    counts: dict[bytes, int] = {}
    longest = len(stemmed) + _LONGEST_ENDING
    for terms, chunks in pages:
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
