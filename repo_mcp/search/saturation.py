"""BM25F as it was meant: a word's weighted frequencies in all fields add up before they saturate.

Whoosh's own `BM25F` saturates each field by itself, so that a word in two fields counts twice. This
is a model in Whoosh's terms all the same: a scorer's weight is the sum over the fields, each
divided by what the length of the field makes of it.
"""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

import math
from typing import Any, Protocol, TypeVar

import numpy.typing as npt
from whoosh.scoring import BaseScorer, WeightingModel

Numbers = TypeVar("Numbers", float, npt.NDArray[Any])


class Matcher(Protocol):
    """What is asked of a Whoosh matcher."""

    def weight(self) -> float:
        """Of the current text."""

    def block_max_weight(self) -> float:
        """The highest in the current block."""


class Searcher(Protocol):
    """What is asked of a Whoosh searcher."""

    def doc_count_all(self) -> int:
        """All texts."""

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        """Those that hold a word."""


class Saturation(BaseScorer):  # type: ignore[misc] # Whoosh has no types
    """Scores one word by its weight in a text."""

    def __init__(self, idf: float, k1: float) -> None:
        """The most that the word can give is `idf`."""
        self.idf = idf
        self._k1 = k1

    def supports_block_quality(self) -> bool:
        """Whether a bound is known for any weight."""
        return True

    def max_quality(self) -> float:
        """What no weight reaches."""
        return self.idf

    def block_quality(self, matcher: Matcher) -> float:
        """The score of the highest weight in a block."""
        return self.score_of(float(matcher.block_max_weight()))

    def score(self, matcher: Matcher) -> float:
        """The score of the matcher's current weight."""
        return self.score_of(float(matcher.weight()))

    def score_of(self, weight: Numbers) -> Numbers:
        """The score of a weight, or of an array of them."""
        return weight * self.idf / (weight + self._k1)


class FieldedBM25F(WeightingModel):  # type: ignore[misc] # Whoosh has no types
    """Whoosh's interface to it."""

    def __init__(self, k1: float) -> None:
        """How soon more of the same word adds little."""
        self._k1 = k1

    def scorer(self, searcher: Searcher, fieldname: str, text: bytes, _qf: int = 1) -> Saturation:
        """The scorer of a word."""
        holders = searcher.doc_frequency(fieldname, text)
        return self.of_counts(searcher.doc_count_all(), holders)

    def of_counts(self, texts: int, holders: int) -> Saturation:
        """The scorer of a word that so many of all texts hold."""
        idf = math.log1p((texts - holders + 0.5) / (holders + 0.5))
        return Saturation(idf, self._k1)
