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
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph.facts import normalize_name
from index_format import SCORE_DIGITS, Snapshot, TermScores, WeightedTerm, open_terms
from index_format.analysis.words import folded
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.model import Reason
from repo_mcp.search.ranked.candidates import CandidateChunks
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.file_passages import PathWeights, RankedFiles
from repo_mcp.search.ranked.meaning import QuestionMeaning
from repo_mcp.search.ranked.query_terms import Query, Word
from repo_mcp.search.ranked.term_lookup import I64, NO_CORPUS, Corpus, TermLookup
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import BODY

if TYPE_CHECKING:
    import numpy.typing as npt

Mask: TypeAlias = "npt.NDArray[np.bool_]"

# candidate chunks for each requested hit, and at least
_SEEDS_PER_HIT: Final = 10
_LEAST_SEEDS: Final = 300
# files that are ranked, for each requested hit, and in addition
_FILES_PER_HIT: Final = 2
_LEAST_FILES: Final = 20
_REASON_DIGITS: Final = 3
# chunks with a name, or one that has it as a part, whose files may declare it
_MOST_WITH_NAME: Final = 300


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
    # the factor for a passage that only imports
    imports: float = 1.0

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
        corpus: Corpus = NO_CORPUS,
    ) -> None:
        """Looks up the terms; `best` scores chunks, by the question's meaning, too, if given.

        Files of the corpus count for how rare a word is.
        """
        self._question = question
        self._snapshot = snapshot
        self._query = query
        self._weights = weights
        lookup = TermLookup(snapshot, weights, budget or Budget(), corpus)
        self._terms = lookup.look_up(query)
        # declared names near the query, normalized
        self.near = frozenset(map(normalize_name, lookup.near))
        # by word that the index lacks, the most similar declared name
        self.respelt = lookup.respelt
        self._paths = PathWeights(query, weights)
        # what was ranked, the latest last
        self._looks: list[_Look] = []

    @cached_property
    def terms(self) -> Sequence[TermScores]:
        """The scores of all words and their other forms, by field."""
        return [scores for item in self._terms for scores in item.all_scores()]

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
        candidates = CandidateChunks(self._snapshot, self.terms, seeds, allowed, chosen)
        if not len(candidates.chunks):
            return
        most = limit * _FILES_PER_HIT + _LEAST_FILES
        scores = ChunkScores(
            self._snapshot, candidates, self._terms, self._weights, most, self._query.name
        )
        look = _Look(scores, scores.rank(self._paths))
        self._looks.append(look)
        passages = round_scores(look.found.passages)
        if self._question is not None and not any(look.found.declares):
            passages = in_order(self._question.rescore(passages))
        for score, path, chunk in passages:
            yield RankedChunk(path, chunk, *self._snapshot.lines_of(chunk), score)

    def reasons(self, ranked: RankedChunk) -> tuple[Reason, ...]:
        """The parts of a chunk's score: what each term adds, and the factors."""
        look = next((look for look in reversed(self._looks) if look.has(ranked.chunk)), None)
        if look is None:
            return ()
        chunk_scores, files = look
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
        named = bool(files.declares[at])
        factors = {
            "declared": 1 + self._weights.declared * named,
            "coverage": self._paths.coverage(sign),
            "together": 1 + self._weights.together * files.shares[file],
            "area": self._paths.area(ranked.path),
            "tested": files.tested[file],
            "prior": 1.0 if named else self._paths.prior(sign),
            "meaning": 1.0 if self._question is None else self._question.factor_of(ranked.chunk),
            "meant": ranked.factor,
            "further": ranked.further,
            "imports": ranked.imports,
        }
        return (
            *sorted(found, key=lambda reason: (-reason.weight, reason.term, reason.field)),
            *(
                Reason(name, "", round(factor, _REASON_DIGITS))
                for name, factor in factors.items()
                if factor != 1
            ),
        )

    def files_with(
        self, name: str, field: str, most: int, allowed: Mask | None
    ) -> list[RankedChunk]:
        """The best chunks of files that have a name in a field, or names that have it as a part.

        The name, or what it is in another style, is a word of the query.
        """
        files: dict[str, RankedChunk] = {}
        for item in self.best(most, chosen=self.chunks_with(name, field, allowed)):
            files.setdefault(item.path, item)
            if len(files) == most:
                break
        return list(files.values())

    def count_together(self, name: str, others: Sequence[str]) -> list[int]:
        """For each other word, how many of the chunks with the most of a name have it, too."""
        opened = [self._open(BODY, [folded(word)]) for word in others]
        there = [scores for found in opened for scores in found]
        chunks = self.chunks_with(name, BODY, None)
        columns = CandidateChunks(self._snapshot, there, len(chunks), None, chunks)
        return [int((columns.frequencies(found[0]) > 0).sum()) if found else 0 for found in opened]

    def places_with(self, name: str, field: str) -> dict[str, int]:
        """By path, a chunk with a name in a field."""
        chunks = self.chunks_with(name, field)
        files = np.searchsorted(self._snapshot.file_starts, chunks, side="right") - 1
        return dict(zip(self._snapshot.paths_of(files), chunks.tolist(), strict=True))

    def chunks_with(self, name: str, field: str, allowed: Mask | None = None) -> I64:
        """The chunks with the most of a name in a field, in any naming style, ascending."""
        terms = self._open(field, [folded(name), normalize_name(name)])
        return CandidateChunks(self._snapshot, terms, _MOST_WITH_NAME, allowed).chunks

    def _open(self, field: str, terms: Sequence[str]) -> list[TermScores]:
        encoded = (term.encode("utf-8", "surrogatepass") for term in dict.fromkeys(terms))
        opened = open_terms(self._snapshot, [WeightedTerm(field, term) for term in encoded])
        return [scores for scores in opened if scores is not None]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of files that the query asks for."""
        return self._query.kinds


class _Look(NamedTuple):
    """The scores of chunks, and the passages of their files."""

    scores: ChunkScores
    found: RankedFiles

    def has(self, chunk: int) -> bool:
        """True if a chunk was scored."""
        at = int(np.searchsorted(self.scores.chunks, chunk))
        return at < len(self.scores.chunks) and int(self.scores.chunks[at]) == chunk


def in_order(passages: Iterable[tuple[float, str, int]]) -> Iterator[tuple[float, str, int]]:
    """The passages by descending score, rounded, then by path and chunk."""
    return round_scores(sorted(passages, key=itemgetter(0), reverse=True))


def round_scores(passages: Iterable[tuple[float, str, int]]) -> Iterator[tuple[float, str, int]]:
    """Passages by descending score with rounded ones, equal ones by path and chunk.

    Only the scores of those that are asked for are rounded, which costs more than sorting.
    """
    equal: list[tuple[float, str, int]] = []
    for score, path, chunk in passages:
        rounded = round(score, SCORE_DIGITS)
        if equal and rounded != equal[0][0]:
            yield from sorted(equal)
            equal.clear()
        equal.append((rounded, path, chunk))
    yield from sorted(equal)
