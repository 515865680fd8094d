"""Kinds of similarity of declarations: the same, renamed, or nearly the same words."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Final

from repo_mcp.vectors import shapes

# the share of the words that two declarations have in common
_NEARLY: Final = 0.8
_FEWEST_WORDS: Final = 8


class Likeness(IntEnum):
    """Kinds of near-duplicates, the nearest last."""

    NONE = 0
    NEAR = 1  # most words are the same, as often
    RENAMED = 2  # the same code with other names
    COPY = 3  # the same code


class ComparedCode:
    """The code that others are compared with."""

    def __init__(self, code: bytes) -> None:
        """Without any words it is like nothing."""
        self._folded = shapes.fold_code(code)
        self._words = shapes.words_of(code)
        self._counts = Counter(self._words)

    def has_shape(self, code: bytes) -> bool:
        """True if other code differs by names, numbers, strings and comments alone."""
        return shapes.fold_code(code) == self._folded

    def likeness(self, code: bytes) -> Likeness:
        """The similarity of other code to it."""
        if len(self._words) < _FEWEST_WORDS:
            return Likeness.NONE
        words = shapes.words_of(code)
        is_of_shape = self.has_shape(code)
        if is_of_shape and words == self._words:
            return Likeness.COPY
        long_enough = len(self._folded) >= shapes.FEWEST_MARKS
        if is_of_shape and long_enough and shapes.is_renaming(self._words, words):
            return Likeness.RENAMED
        common = (self._counts & Counter(words)).total()
        longest = max(len(words), len(self._words))
        return Likeness.NEAR if common >= _NEARLY * longest else Likeness.NONE
