"""Pairs of listed words that are adjacent in text, only blanks between: the model of pairs.c."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

# the longest word that a list may have, and the most words; the same as in pairs.c
LONGEST_LISTED: Final = 16
MOST_LISTED: Final = 1 << 11

_WORD: Final = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
_BLANKS: Final = rb"[\t-\r\x1c-\x1f ]+"
_BEHIND_BLANKS: Final = re.compile(_BLANKS + rb"(?=" + _WORD.pattern + rb")")
_ONLY_BLANKS: Final = re.compile(_BLANKS)


def find_pairs(
    words: tuple[bytes, ...], texts: Sequence[tuple[bytes, bytes]]
) -> tuple[bytes, list[int]]:
    """Numbers of the distinct pairs that begin in each stretch of each text, and where each ends.

    A pair is the number of its first word times the count of all words, and that of its second; the
    numbers (uint32) are in the order in which the pairs come. Words are in small letters, and stand
    for any letter case; bytes beyond ASCII are of words that are not listed. Stretches are offsets
    (int64), begin and end of each; the second word of a pair may stand behind its stretch.
    """
    numbers = {word: number for number, word in enumerate(words)}
    found: list[int] = []
    ends: list[int] = []
    for text, stretches in texts:
        for begin, end in np.frombuffer(stretches, dtype=np.int64).reshape(-1, 2).tolist():
            found += _pairs_between(text, begin, end, numbers)
            ends.append(len(found))
    return np.array(found, dtype=np.uint32).tobytes(), ends


def _pairs_between(text: bytes, begin: int, end: int, numbers: dict[bytes, int]) -> dict[int, None]:
    found: dict[int, None] = {}
    before, at = -1, begin
    for word in _words_between(text, begin, end):
        number = numbers.get(word.group().lower(), -1)
        if min(before, number) >= 0 and _ONLY_BLANKS.fullmatch(text, at, word.start()):
            found[before * len(numbers) + number] = None
        before, at = number, word.end()
    return found


def _words_between(text: bytes, begin: int, end: int) -> Iterator[re.Match[bytes]]:
    """The words that begin between two places, and the next one after nothing but blanks."""
    at = begin
    for found in _WORD.finditer(text, begin, end):
        word = _WORD.match(text, found.start())  # the end may be within it
        if word is not None:
            at = word.end()
            yield word
    blanks = _BEHIND_BLANKS.match(text, at) if at > begin else None
    following = _WORD.match(text, blanks.end()) if blanks else None
    if following is not None:
        yield following
