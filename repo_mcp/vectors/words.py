"""Counts the parts of words in a text and its path, as vectors see them.

A part is what text analysis cuts an identifier into, cut at digits as well: `parseHTTP2Header`
has parse, http and header. Numbers, single letters, very long parts, and words of encoded data have
none. How often a part occurs counts less and less: n times are worth 2n / (n + 1).
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from functools import lru_cache
from typing import Final
from zlib import crc32

from index_format.analysis.words import MAX_WORD, WORD, terms_of_word

# part of the identity of stored vectors: raise it when parts change
VERSION: Final = 2
SHORTEST_PART: Final = 2
LONGEST_PART: Final = 24
# lengths of the pieces of a part that a table lacks
GRAM_LENGTHS: Final = (3, 4)
# folders and name at the end of a path that are counted with its text
_PATH_PARTS: Final = 2

_WORD: Final = re.compile(WORD)
_DIGITS: Final = re.compile("[0-9]+")


def count_parts(text: str, path: str = "") -> Counter[str]:
    """The number of each part's occurrences in a text and at the end of its path."""
    words = _WORD.findall(text)
    if path:
        words += _WORD.findall(path_words(path))
    found: Counter[str] = Counter()
    for word, times in Counter(words).items():
        for part in parts_of_word(word):
            found[part] += times
    return found


def parts_of_text(text: str) -> list[str]:
    """The parts of all words of a text, in order."""
    return [part for word in _WORD.findall(text) for part in parts_of_word(word)]


def path_words(path: str) -> str:
    """The last two parts of a path, without extension."""
    return " ".join(posixpath.splitext(path)[0].split("/")[-_PATH_PARTS:])


@lru_cache(maxsize=1 << 16)
def parts_of_word(word: str) -> tuple[str, ...]:
    """The parts of a word in order; a part that occurs twice stands there twice."""
    if len(word) > MAX_WORD:
        return ()
    # the first of several terms is the whole word
    whole, *parts = terms_of_word(word) or ("",)
    return tuple(part for term in parts or (whole,) for part in parts_of_term(term))


def parts_of_term(term: str) -> list[str]:
    """The parts of a term of the index that is not a whole of several parts."""
    pieces = _DIGITS.split(term)
    return [piece for piece in pieces if SHORTEST_PART <= len(piece) <= LONGEST_PART]


def saturate(times: int) -> float:
    """The saturated weight of a number of occurrences."""
    return 2 * times / (times + 1)


def grams(part: str, buckets: int) -> list[int]:
    """The numbers of a part's pieces, for a table that lacks the part.

    The part counts as their sum, divided by the square root of their number.
    """
    marked = f"^{part}$"
    pieces = (
        marked[at : at + length]
        for length in GRAM_LENGTHS
        for at in range(len(marked) - length + 1)
    )
    return [crc32(piece.encode("utf-8", "surrogatepass")) % buckets for piece in pieces]
