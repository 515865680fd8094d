"""How often the words of a question occur in chunks, field by field, and how telling each is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from whoosh.scoring import BM25F, BaseScorer, WeightingModel

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself
from index_format import Snapshot, TermScores, WeightedTerm, open_terms
from repo_mcp.search.ranked.query_terms import Query, Word, parts_of
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import BODY, DOC, NAME, PATH, SYMBOL

# isort: split


I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """A word as the index has it: its scores in each field that holds it, and its scorer."""

    word: Word
    fields: Mapping[str, TermScores]
    scorer: Saturation


class Lookup:
    """Looks words up in a snapshot."""

    def __init__(self, snapshot: Snapshot, weights: Weights) -> None:
        """Nothing is read yet."""
        self._snapshot = snapshot
        self._model = FieldedBM25F(weights.k1)
        # only in the body does length say something
        lengthless = {f"{field}_B": 0.0 for field in (PATH, SYMBOL, NAME)}
        self._first_look = BM25F(B=weights.b, K1=weights.k1, **lengthless)
        self._weights = weights
        self._written = {
            BODY: 1.0,
            SYMBOL: weights.symbol,
            DOC: weights.doc,
            NAME: weights.name,
        }

    def all(self, wanted: Query) -> list[TermStatistics]:
        """What the index holds of a question.

        Whoever writes an identifier alone means that one: its parts matter only where it is not
        there whole. Among other words it may be what is changed or called, and its parts say where.
        """
        found = list(self._held(wanted.words))
        there = {item.word.term for item in found}
        missing = [word for word in wanted.words if word.term not in there]
        found += self._held([part for word in missing for part in parts_of(word)])
        if self._weights.parts and len(wanted.words) > 1:
            known = {item.word.term for item in found}
            found += self._held(self._beside(wanted.words, known))
        if not found:
            found += self._held(wanted.words, (PATH,))
        if self._weights.joined:
            known = {item.word.term for item in found}
            extra = [term for term in (*wanted.joined, wanted.name) if term not in known]
            words = [
                Word(term, self._weights.joined) for term in dict.fromkeys(filter(None, extra))
            ]
            found += self._held(words, (SYMBOL,))
        return found

    def _beside(self, words: Sequence[Word], known: set[str]) -> list[Word]:
        """The parts of identifiers that are there whole, unless they were said themselves."""
        parts = (part for word in words if word.term in known for part in parts_of(word))
        more = {part.term: part for part in parts if part.term not in known}
        return [replace(part, weight=part.weight * self._weights.parts) for part in more.values()]

    def _held(self, words: Sequence[Word], fields: Sequence[str] = ()) -> Iterator[TermStatistics]:
        names = fields or [field for field, weight in self._written.items() if weight]
        terms = [
            WeightedTerm(field, word.term.encode("utf-8", "surrogatepass"), word.weight)
            for word in words
            for field in names
        ]
        opened = iter(open_terms(self._snapshot, terms, self._first_look))
        for word in words:
            held = {field: scores for field in names if (scores := next(opened)) is not None}
            if held:
                main = held.get(BODY) or next(iter(held.values()))
                scorer = self._model.of_counts(self._snapshot.chunk_count, main.count)
                yield TermStatistics(self._as_area(word, held), held, scorer)

    def _as_area(self, word: Word, held: Mapping[str, TermScores]) -> Word:
        """The word, weighing more where the question begins with it and a file is called so."""
        if not word.leads or NAME not in held:
            return word
        return replace(word, weight=word.weight * (1 + self._weights.area))


# isort: split


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
