"""How often the words of a question occur in chunks, field by field, and how telling each is."""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from whoosh.scoring import BM25F

from index_format import Snapshot, TermScores, WeightedTerm, open_terms
from repo_mcp.search.saturation import FieldedBM25F, Saturation
from repo_mcp.search.wanted import Wanted, Word, parts_of
from repo_mcp.search.weights import Weights

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

BODY: Final = "body"
SYMBOL: Final = "symbol"
PATH: Final = "path"
NAME: Final = "name"


@dataclass(frozen=True, slots=True)
class Sought:
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
        self._first_look = BM25F(B=weights.b, K1=weights.k1, path_B=0.0, symbol_B=0.0, name_B=0.0)
        self._weights = weights
        self._written = {
            BODY: 1.0,
            SYMBOL: weights.symbol,
            "doc": weights.doc,
            NAME: weights.name,
        }

    def all(self, wanted: Wanted) -> list[Sought]:
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

    def _held(self, words: Sequence[Word], fields: Sequence[str] = ()) -> Iterator[Sought]:
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
                yield Sought(self._as_area(word, held), held, scorer)

    def _as_area(self, word: Word, held: Mapping[str, TermScores]) -> Word:
        """The word, weighing more where the question begins with it and a file is called so."""
        if not word.leads or NAME not in held:
            return word
        return replace(word, weight=word.weight * (1 + self._weights.area))
