"""Ranks chunks for a query by their text, their file and their path.

A candidate chunk gets the score of its text. It is raised for further matching chunks of the file,
for the query's coverage by the file and the path, and lowered for kinds of files that are rarely
wanted. The order does not depend on the segments of the index.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.languages.facts import normalize_name
from repo_mcp.model import Reason
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.candidates import CandidateChunks
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.file_passages import FileFactors
from repo_mcp.search.ranked.meaning import QuestionMeaning
from repo_mcp.search.ranked.path_signals import TESTS, PathSignals
from repo_mcp.search.ranked.query_terms import Query, Word
from repo_mcp.search.ranked.term_lookup import I64, TermLookup
from repo_mcp.search.ranked.weights import Weights

Mask = npt.NDArray[np.bool_]

# candidate chunks for each requested hit, and at least
_SEEDS_PER_HIT: Final = 10
_LEAST_SEEDS: Final = 300
# files that are ranked, for each requested hit, and in addition
_FILES_PER_HIT: Final = 2
_LEAST_FILES: Final = 20
_REASON_DIGITS: Final = 3


class RankedChunk(NamedTuple):
    """A ranked chunk, its lines, and its score."""

    path: str
    chunk: int
    first: int
    last: int
    score: float
    # the line of the declaration that the query names, if any, and the factor it gave the score
    head: int = 0
    factor: float = 1.0
    # the factor for a further declaration of a chunk
    further: float = 1.0

    def at_declaration(self, first: int, last: int, further: float) -> RankedChunk:
        """A further declaration of this chunk."""
        score = self.score * further
        return RankedChunk(self.path, self.chunk, first, last, score, 0, self.factor, further)


class Ranking:
    """The ranking of one snapshot's chunks for one query."""

    def __init__(
        self,
        snapshot: Snapshot,
        query: Query,
        weights: Weights,
        question: QuestionMeaning | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Looks up the terms; `best` scores chunks, by the question's meaning, too, if given."""
        self._question = question
        self._snapshot = snapshot
        self._query = query
        self._weights = weights
        lookup = TermLookup(snapshot, weights, budget or Budget())
        self._terms = lookup.look_up(query)
        # declared names near the query, normalized
        self.near = frozenset(map(normalize_name, lookup.near))
        # by word that the index lacks, the most similar declared name
        self.respelt = lookup.respelt
        self._total_weight = sum(word.weight for word in query.words)
        self._chunk_scores: ChunkScores | None = None
        # by chunk, whether it declares the name that the whole query is
        self._declares: Sequence[bool | int] = []
        # by file, the share of the query's weight that its best chunks match
        self._shares: list[float] = []
        # by file, the factor for what its tests match
        self._tested: list[float] = []

    def term_weights(self) -> dict[str, float]:
        """The weight of each term, by the query and by its rarity."""
        found = {item.word.term: item.word.weight * item.scorer.idf for item in self._terms}
        for item in self._terms:
            worth = self._weights.stems * found[item.word.term]
            found.update({term: worth for term in item.form_terms if term not in found})
        for word in self._query.words:
            for part in word.parts:
                found.setdefault(part, found.get(word.term, 1.0) / (2 * len(word.parts)))
        return {**dict.fromkeys(self._query.terms, 0.0), **found}

    @cached_property
    def _worths(self) -> list[tuple[Word, float]]:
        """What each word of the query could score; one that the index lacks, as the rarest word."""
        known = {item.word.term: item.scorer.idf for item in self._terms}
        rarest = math.log(2 + 2 * self._snapshot.chunk_count)
        return [(word, word.weight * known.get(word.term, rarest)) for word in self._query.words]

    @cached_property
    def ceiling(self) -> float:
        """What the words of the query could score together."""
        return math.fsum(worth for _, worth in self._worths)

    def coverage(self, terms: Collection[str]) -> float:
        """The share of the ceiling that is due to words among these terms, whole or in parts."""
        found = 0.0
        for word, worth in self._worths:
            if word.term in terms:
                found += worth
            elif word.parts:
                found += worth * sum(part in terms for part in word.parts) / len(word.parts)
        return found / (self.ceiling or 1.0)

    def missing_words(self) -> list[Word]:
        """The words of the query that the index lacks in every naming style."""
        there = {item.word.term for item in self._terms}
        if self._query.name in there:
            return []
        return [
            word
            for word in self._query.words
            if there.isdisjoint((word.term, normalize_name(word.term)))
        ]

    def best(
        self, limit: int, allowed: Mask | None = None, chosen: I64 | None = None
    ) -> Iterator[RankedChunk]:
        """At least `limit` chunks, if there are as many, best first; or those `chosen`."""
        seeds = max(limit * _SEEDS_PER_HIT, _LEAST_SEEDS)
        terms = [scores for item in self._terms for scores in item.all_scores()]
        candidates = CandidateChunks(self._snapshot, terms, seeds, allowed, chosen)
        if not len(candidates.chunks):
            return
        most = limit * _FILES_PER_HIT + _LEAST_FILES
        self._chunk_scores = ChunkScores(
            self._snapshot, candidates, self._terms, self._weights, most, self._query.name
        )
        passages = self._rank_passages(self._chunk_scores)
        if self._question is not None and not any(self._declares):
            passages = in_order(self._question.rescore(passages))
        for score, path, chunk in passages:
            yield RankedChunk(path, chunk, *self._snapshot.lines_of(chunk), score)

    def reasons(self, ranked: RankedChunk) -> tuple[Reason, ...]:
        """The parts of a chunk's score: what each term adds, and the factors."""
        chunk_scores = self._chunk_scores
        if chunk_scores is None:
            return ()
        at = int(np.searchsorted(chunk_scores.chunks, ranked.chunk))
        found: list[Reason] = []
        for number, item in enumerate(self._terms):
            found += [
                Reason(field, item.word.term, weight)
                for field, part in chunk_scores.parts(number).items()
                if (weight := round(float(part[at]), _REASON_DIGITS))
            ]
        file = bisect_right(chunk_scores.edges, at) - 1
        sign = chunk_scores.signs[file]
        named = bool(self._declares[at])
        factors = {
            "declared": 1 + self._weights.declared * named,
            "coverage": 1 + self._weights.coverage * self._path_coverage(sign),
            "together": 1 + self._weights.together * self._shares[file],
            "area": 1 + self._weights.inside_area * self._area_share(sign),
            "tested": self._tested[file],
            "prior": 1.0 if named else self._prior(sign),
            "meaning": 1.0 if self._question is None else self._question.factor_of(ranked.chunk),
            "meant": ranked.factor,
            "further": ranked.further,
        }
        return (
            *sorted(found, key=lambda reason: (-reason.weight, reason.term, reason.field)),
            *(
                Reason(name, "", round(factor, _REASON_DIGITS))
                for name, factor in factors.items()
                if factor != 1
            ),
        )

    def files_declaring(self, term: str) -> set[str]:
        """The ranked files that declare a name with a term."""
        chunk_scores = self._chunk_scores
        if chunk_scores is None:
            return set()
        found: set[str] = set()
        for number, item in enumerate(self._terms):
            if item.word.term == term:
                owners = chunk_scores.owners[chunk_scores.is_declared_in(number)]
                found.update(chunk_scores.paths[owner] for owner in owners.tolist())
        return found

    def _rank_passages(self, chunk_scores: ChunkScores) -> Iterator[tuple[float, str, int]]:
        """Score, path and chunk of the passages, in order."""
        signs, areas = chunk_scores.signs, self._query.areas
        weights = self._weights
        found = chunk_scores.passages(
            FileFactors(
                [1 + weights.coverage * self._path_coverage(sign) for sign in signs],
                [1 + weights.inside_area * self._area_share(sign) for sign in signs]
                if areas
                else [1.0] * len(signs),
                [self._prior(sign) if sign.kinds else 1.0 for sign in signs],
            )
        )
        self._shares, self._declares = found.shares, found.declares
        self._tested = self._factors_of_tests(signs, found.best)
        files = zip(chunk_scores.paths, self._tested, found.passages, strict=True)
        return in_order(
            (score * tested, path, chunk)
            for path, tested, passages in files
            for score, chunk in passages
        )

    def _factors_of_tests(self, signs: Sequence[PathSignals], best: Sequence[float]) -> list[float]:
        """By file, the factor for the best score of the tests that are named after it."""
        of_tests: dict[str, float] = {}
        for sign, score in zip(signs, best, strict=True):
            if TESTS in sign.kinds:
                score_as_source = score / self._prior(sign)
                of_tests[sign.subject] = max(of_tests.get(sign.subject, 0.0), score_as_source)
        of_tests.pop("", None)
        return [
            1.0
            if TESTS in sign.kinds or not score
            else 1 + self._weights.tested * of_tests.get(sign.subject, 0.0) / score
            for sign, score in zip(signs, best, strict=True)
        ]

    def _prior(self, sign: PathSignals) -> float:
        """The factor for the kind of a file, unless the query asks for that kind."""
        kinds = sign.kinds - self._query.kinds
        if not kinds:
            return 1.0
        return float(min(getattr(self._weights, kind) for kind in kinds))

    def _area_share(self, sign: PathSignals) -> float:
        """The share of the query's areas that are a folder or a file's name."""
        areas = self._query.areas
        return sum(area in sign.segments for area in areas) / len(areas) if areas else 0.0

    def _path_coverage(self, sign: PathSignals) -> float:
        """The share of the query's words that a path has, by their weights in the query."""
        found = 0.0
        for term, root, parts, weight in self._path_words:
            if term in sign.terms or root in sign.stems:
                found += weight
            elif parts:
                found += weight * len(sign.terms.intersection(parts)) / len(parts)
        return found / self._total_weight

    @cached_property
    def _path_words(self) -> list[tuple[str, str, tuple[str, ...], float]]:
        """The query's words as they are looked for in paths: term, stem, parts, weight."""
        return [
            (
                word.term,
                stem(word.term) if self._weights.stems and not word.parts else "",
                word.parts,
                word.weight,
            )
            for word in self._query.words
        ]


def in_order(
    passages: Iterable[tuple[float, str, int]],
) -> Iterator[tuple[float, str, int]]:
    """The passages by descending score, rounded, then by path and chunk.

    Only the scores of those that are asked for are rounded, which costs more than sorting.
    """
    equal: list[tuple[float, str, int]] = []
    for score, path, chunk in sorted(passages, key=itemgetter(0), reverse=True):
        rounded = round(score, SCORE_DIGITS)
        if equal and rounded != equal[0][0]:
            yield from sorted(equal)
            equal.clear()
        equal.append((rounded, path, chunk))
    yield from sorted(equal)
