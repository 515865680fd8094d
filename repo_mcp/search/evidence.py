"""How often the words of a question occur in chunks, field by field, and how telling each is."""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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

        The parts of a word matter only where it is not there whole: whoever writes an identifier
        means that one.
        """
        found = list(self._held(wanted.words))
        there = {item.word for item in found}
        missing = [word for word in wanted.words if word not in there]
        found += self._held([part for word in missing for part in parts_of(word)])
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
                yield Sought(word, held, scorer)
