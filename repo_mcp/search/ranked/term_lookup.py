"""Looks up the terms of a query: their frequencies by chunk and field, and their BM25F scorers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np
from whoosh.scoring import BM25F

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself
from code_graph.facts import normalize_name
from index_format import Snapshot, TermScores, WeightedTerm, open_terms, prefetch_counts
from index_format.records import Record, field, replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.question.query import FEWEST_WORDS, FORM, Query, QueryWord, split_word
from repo_mcp.search.dictionary.word_forms import other_forms, prefetch_forms
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights
from repo_mcp.search.suggest.near_names import can_list_containing, near_names
from repo_mcp.stored import BODY, NAME, PATH, SYMBOL

if TYPE_CHECKING:
    import numpy.typing as npt

# a word in at most so many chunks may be part of a declared name, typed in one word
_RARE: Final = 100

# the fields in which words of a query are looked up
_FIELDS: Final = (BODY, SYMBOL, NAME)

I64: TypeAlias = "npt.NDArray[np.int64]"
F64: TypeAlias = "npt.NDArray[np.float64]"
Numbers = TypeVar("Numbers", float, "npt.NDArray[Any]")


class Corpus(NamedTuple):
    """Files outside the index: how many were read, and by term how many of them hold it."""

    files: int
    holders: Mapping[str, int]


NO_CORPUS: Final = Corpus(0, {})


class TermStatistics(Record):
    """A word of the query with its postings in each field that has it, and its scorer."""

    word: QueryWord
    fields: Mapping[str, TermScores]
    scorer: Saturation
    # the word's other forms by field, and the scorer of all forms together
    forms: Mapping[str, tuple[TermScores, ...]] = field(factory=dict)
    class_scorer: Saturation | None = None
    form_terms: tuple[str, ...] = ()

    def all_scores(self) -> Iterator[TermScores]:
        """The scores of the word and of its other forms."""
        yield from self.fields.values()
        for scores in self.forms.values():
            yield from scores


def _is_rare(term: str, found: Iterable[TermStatistics]) -> bool:
    """True if few chunks hold a term in any field."""
    return all(
        scores.count <= _RARE
        for item in found
        if item.word.term == term
        for scores in item.fields.values()
    )


class QueryStatistics(Record):
    """The words of a query as a snapshot has them."""

    query: Query
    words: tuple[TermStatistics, ...]
    # declared names that are searched for in place of words that nothing declares, normalized, with
    # how similar each is
    near: Mapping[str, float]
    # by word that the index lacks, the most similar of these names
    respelt: Mapping[str, str]
    # each word of the query with what it could score, and what they could score together; one that
    # the index lacks counts as the rarest word
    worths: tuple[tuple[QueryWord, float], ...]
    ceiling: float
    # the scores of all words and their other forms, by field
    terms: tuple[TermScores, ...]
    # words of the query that the index lacks in every naming style
    missing: tuple[QueryWord, ...]

    def term_weights(self, stems: float = DEFAULT_WEIGHTS.stems) -> dict[str, float]:
        """The weight of each term, by the query and its rarity; other forms weigh this share."""
        found = {item.word.term: item.word.weight * item.scorer.idf for item in self.words}
        for item in self.words:
            worth = stems * found[item.word.term]
            found.update({term: worth for term in item.form_terms if term not in found})
        for word in self.query.words:
            for part in word.parts:
                found.setdefault(part, found.get(word.term, 1.0) / (2 * len(word.parts)))
        return {**dict.fromkeys(self.query.terms, 0.0), **found}

    def coverage(self, terms: Collection[str]) -> float:
        """The share of the ceiling that is due to words among these terms, whole or in parts."""
        found = 0.0
        for word, worth in self.worths:
            if word.term in terms:
                found += worth
            elif word.parts:
                found += worth * sum(part in terms for part in word.parts) / len(word.parts)
        return found / (self.ceiling or 1.0)


def look_up(
    snapshot: Snapshot,
    query: Query,
    weights: Weights = DEFAULT_WEIGHTS,
    budget: Budget | None = None,
    corpus: Corpus = NO_CORPUS,
) -> QueryStatistics:
    """The words of a query in a snapshot; files of the corpus count for how rare a word is."""
    lookup = _Lookup(snapshot, weights, budget or Budget(), corpus)
    found = lookup.statistics_of(query)
    known = {item.word.term: item.scorer.idf for item in found}
    rarest = math.log(2 + 2 * snapshot.chunk_count)
    worths = [(word, word.weight * known.get(word.term, rarest)) for word in query.words]
    ceiling = math.fsum(worth for _, worth in worths)
    terms = tuple(scores for item in found for scores in item.all_scores())
    missing = [
        word
        for word in query.words
        if query.name not in known
        and known.keys().isdisjoint((word.term, normalize_name(word.term)))
    ]
    return QueryStatistics(
        query,
        tuple(found),
        dict(lookup.near),
        lookup.respelt,
        tuple(worths),
        ceiling,
        terms,
        tuple(missing),
    )


class _Lookup:
    """Looks up words in a snapshot, and remembers the names that stand for unknown ones."""

    def __init__(
        self, snapshot: Snapshot, weights: Weights, budget: Budget, corpus: Corpus
    ) -> None:
        self._snapshot = snapshot
        self._corpus = corpus
        self._budget = budget
        # length is normalised in the body only
        lengthless = {f"{field}_B": 0.0 for field in (PATH, SYMBOL, NAME)}
        self._bounds_model = BM25F(B=weights.b, K1=weights.k1, **lengthless)
        self._weights = weights
        # declared names that are searched for in place of words that nothing declares
        self.near: dict[str, float] = {}
        # by word that the index lacks, the most similar of these names
        self.respelt: dict[str, str] = {}

    def statistics_of(self, query: Query) -> list[TermStatistics]:
        """The statistics of a query's words.

        Parts of an identifier are added if the index lacks the whole, or if the query has further
        words.
        """
        if self._snapshot.prefetches_terms:
            self._prefetch_terms(query)
        found = list(self._statistics(query.words))
        if len(query.words) >= FEWEST_WORDS:
            known = {item.word.term: item for item in found}
            every = (self._of_all_forms(word, known.get(word.term)) for word in query.words)
            found = [item for item in every if item is not None]
        there = {item.word.term for item in found}
        whole = there if len(query.words) == 1 else ()
        cut = (split_word(word) for word in query.words if word.term not in whole)
        parts = {part.term: part for part in chain.from_iterable(cut) if part.term not in there}
        found += self._statistics([*parts.values()])
        if not found:
            found += self._statistics(query.words, (PATH,))
        there = {item.word.term for item in found}
        names = dict.fromkeys(filter(None, (*query.joined, query.name)))
        words = [QueryWord(name, self._weights.joined) for name in names if name not in there]
        found += self._statistics(words, (SYMBOL,))
        return [*found, *self._near_names(query, found)]

    def _prefetch_terms(self, query: Query) -> None:
        """Ask at once for what is looked up one by one where nobody has to be asked."""
        parts = [part.term for word in query.words for part in split_word(word)]
        terms = [*(word.term for word in query.words), *parts, *query.joined, query.name]
        if self._snapshot.is_distributed and len(query.words) >= FEWEST_WORDS:
            inflected = [word.term for word in query.words if not word.parts]
            prefetch_forms(self._snapshot, inflected)
            for word in inflected:
                terms += other_forms(self._snapshot, word)
        encoded = [term.encode("utf-8", "surrogatepass") for term in terms if term]
        prefetch_counts(self._snapshot, [(name, term) for term in encoded for name in _FIELDS])

    def _near_names(
        self, query: Query, found: Sequence[TermStatistics]
    ) -> Iterator[TermStatistics]:
        """The statistics of declared names near words that nothing declares.

        Of words that the text has, only a rare one that is the whole query is looked for, and only
        where that is quick: the text answers, too.
        """
        there = {item.word.term for item in found}
        declared = {item.word.term for item in found if SYMBOL in item.fields}
        if query.name in declared:
            return
        for word in query.words:
            is_unknown = there.isdisjoint((word.term, normalize_name(word.term)))
            if is_unknown or (
                len(query.words) == 1
                and word.term not in declared
                and _is_rare(word.term, found)
                and can_list_containing(self._snapshot)
            ):
                names = near_names(self._snapshot, word.term, self._budget, is_unknown=is_unknown)
                self.near.update((normalize_name(name.term), name.similarity) for name in names)
                if is_unknown and names:
                    self.respelt[word.term] = names[0].term
                weight = word.weight * FORM
                words = [QueryWord(name.term, weight * name.similarity) for name in names]
                yield from self._statistics(words, () if is_unknown else (SYMBOL,))

    def _of_all_forms(self, word: QueryWord, exact: TermStatistics | None) -> TermStatistics | None:
        """The statistics of a word with its other forms."""
        terms = () if word.parts else other_forms(self._snapshot, word.term)
        forms = list(self._statistics([QueryWord(term, word.weight) for term in terms]))
        if not forms:
            return exact
        by_field = {
            name: tuple(item.fields[name] for item in forms if name in item.fields)
            for name in _FIELDS
        }
        held = exact.fields if exact else {}
        counts = [item.count for item in by_field[BODY]] + [held[BODY].count if BODY in held else 0]
        scorer = self._scorer(word, min(sum(counts), self._snapshot.chunk_count))
        return TermStatistics(
            exact.word if exact else word,
            held,
            exact.scorer if exact else scorer,
            {name: scores for name, scores in by_field.items() if scores},
            scorer,
            tuple(item.word.term for item in forms),
        )

    def _statistics(
        self, words: Sequence[QueryWord], fields: Sequence[str] = ()
    ) -> Iterator[TermStatistics]:
        names = fields or _FIELDS
        terms = [
            WeightedTerm(field, word.term.encode("utf-8", "surrogatepass"), word.weight)
            for word in words
            for field in names
        ]
        opened = iter(open_terms(self._snapshot, terms, self._bounds_model))
        for word in words:
            held = {field: scores for field in names if (scores := next(opened)) is not None}
            if held:
                main = held.get(BODY) or next(iter(held.values()))
                scorer = self._scorer(word, main.count)
                # what the query names as its area counts twice
                times = 2 if word.in_area and NAME in held else 1
                yield TermStatistics(replace(word, weight=times * word.weight), held, scorer)

    def _scorer(self, word: QueryWord, holders: int) -> Saturation:
        """The scorer of a word that so many chunks hold."""
        corpus = self._corpus
        return Saturation.of_counts(
            self._snapshot.chunk_count + corpus.files,
            holders + corpus.holders.get(word.term, 0),
            self._weights.k1,
        )


class Saturation(NamedTuple):
    """BM25's saturation: the score of a term by its weight in a document, at most `idf`."""

    idf: float
    k1: float

    @classmethod
    def of_counts(cls, texts: int, holders: int, k1: float) -> Saturation:
        """The one of a term that `holders` of all `texts` documents contain."""
        return cls(math.log1p((texts - holders + 0.5) / (holders + 0.5)), k1)

    def score_of(self, weight: Numbers) -> Numbers:
        """The score of a weight, or of an array of them."""
        return weight * self.idf / (weight + self.k1)
