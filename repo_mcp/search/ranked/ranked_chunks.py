"""Ranks chunks for a query by their text, their file and their path.

A candidate chunk gets the score of its text. It is raised for further matching chunks of the file,
for the query's coverage by the file and the path, and lowered for kinds of files that are rarely
wanted. The order does not depend on the segments of the index.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph.facts import normalize_name
from index_format import SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.model import ScoreReason
from repo_mcp.search.ranked.candidates import CandidateChunks
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.confidence import UNKNOWN, HitEvidence, is_confident
from repo_mcp.search.ranked.file_passages import Passage, PathWeights, RankedFiles
from repo_mcp.search.ranked.query_terms import FEWEST_WORDS, Query
from repo_mcp.search.ranked.term_lookup import I64, QueryStatistics
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights
from repo_mcp.stored import SYMBOL

if TYPE_CHECKING:
    import numpy.typing as npt

    from repo_mcp.search.ranked.file_evidence import FileEvidence
    from repo_mcp.search.ranked.learned_order import LearnedOrder
    from repo_mcp.search.ranked.meaning import QueryMeaning
    from repo_mcp.search.ranked.near_declarations import NearDeclarations
    from repo_mcp.search.ranked.past import QueryPast

Mask: TypeAlias = "npt.NDArray[np.bool_]"

# candidate chunks and files that are ranked, however many hits are asked for: the order of hits
# must not depend on that
SEEDS: Final = 500
_FILES: Final = 80
_REASON_DIGITS: Final = 3
# passages whose best tells whether words answer, and those with quoted phrases that are raised,
# however many hits are asked for
SHOWN: Final = 10


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

    @property
    def order(self) -> tuple[float, str, int]:
        """A key by which better ones come first."""
        return -self.score, self.path, self.first

    def at_declaration(self, first: int, last: int, further: float) -> RankedChunk:
        """A further declaration of this chunk."""
        score = self.score * further
        return self._replace(first=first, last=last, score=score, head=0, further=further)


class ChunkRanker:
    """Ranks one snapshot's chunks for one query, in batches."""

    def __init__(
        self,
        snapshot: Snapshot,
        statistics: QueryStatistics,
        weights: Weights = DEFAULT_WEIGHTS,
        meaning: QueryMeaning | None = None,
        near: NearDeclarations | None = None,
        past: QueryPast | None = None,
    ) -> None:
        """Chunks are re-scored by the query's meaning and its past, if given.

        Declarations that are `near` order files, too, and have places among the best chunks.
        """
        self._snapshot = snapshot
        self._statistics = statistics
        self._weights = weights
        self._meaning = meaning
        self._past = None if _is_declared(statistics) else past
        self._learned = _learned(statistics.query, weights, meaning)
        # those that count; None until chunks are ranked, and where the query is a declared name
        self.near: NearDeclarations | None = None
        self._given_near = near
        self._paths = PathWeights(statistics.query, weights)
        # ranked results, the latest last
        self.looks: list[_Look] = []

    def best(
        self, allowed: Mask | None = None, chosen: I64 | None = None, most: int = _FILES
    ) -> Iterator[RankedChunk]:
        """The best chunks that are allowed, or those `chosen`, in about `most` files."""
        terms = self._statistics.terms
        candidates = CandidateChunks(self._snapshot, terms, SEEDS, allowed, chosen)
        if not len(candidates.chunks):
            return
        words, name = self._statistics.words, self._statistics.query.name
        scores = ChunkScores(self._snapshot, candidates, words, self._weights, most, name)
        look = _Look(scores, scores.rank(self._paths))
        self.looks.append(look)
        passages = round_scores(look.found.passages)
        is_named = any(look.found.declares)
        if self._meaning is not None and not is_named:
            passages = in_order(self._meaning.rescore(passages))
        near = self._given_near if chosen is None and not is_named else None
        if near is not None:
            self.near, passages = near, iter(near.with_unfound(list(passages), allowed))
        if self._learned is not None and chosen is None and not is_named:
            passages = in_order(self._reorder(self._learned, list(passages)))
        if self._past is not None:
            passages = in_order(self._past.rescore(passages, self._paths))
        if near is not None:
            passages = iter(near.nearer_first(list(passages)))
        for score, path, chunk in passages:
            yield RankedChunk(path, chunk, *self._lines_of(chunk), score)

    def _lines_of(self, chunk: int) -> tuple[int, int]:
        """The lines of a chunk, or those of the near declaration that it is shown for."""
        near = None if self.near is None else self.near.lines_of(chunk)
        return near or self._snapshot.lines_of(chunk)

    def _reorder(self, learned: LearnedOrder, passages: list[Passage]) -> Iterable[Passage]:
        """The passages by the learned order of files."""
        return learned.rescore(passages, self.evidence(passages), self._paths) if passages else ()

    def evidence(self, passages: list[Passage]) -> FileEvidence:
        """The evidence for the files of passages, which stand best first."""
        from repo_mcp.search.ranked.file_evidence import file_evidence  # noqa: PLC0415 names need none

        look, near = self.looks[-1], self.near
        cosines = None if self._meaning is None else self._meaning.of_files(passages)
        nearest = None if near is None else near.of_files()
        of_words = look.scores, passages, look.found.shares, self._statistics, self._paths
        return file_evidence(*of_words, cosines, nearest)

    def is_confident(self, shown: Iterable[tuple[RankedChunk, float]]) -> bool:
        """True if the hits that are shown, with their scores, are an answer."""
        hits = list(shown)
        return self._is_confident(self.best_by_words(hits), [item.path for item, _ in hits])

    def _is_confident(self, best: float, paths: Iterable[str]) -> bool:
        chunks = self._snapshot.chunk_count
        return is_confident(self._statistics, best, chunks, self.hit_evidence(paths))

    def best_by_words(self, shown: Iterable[tuple[RankedChunk, float]]) -> float:
        """The best score without the factors for meaning and for the learned order.

        A hit that words have not found has none.
        """
        near = self.near
        return max(
            (
                self._by_words(score, item.path, item.chunk)
                if near is None or near.lines_of(item.chunk) is None
                else 0.0
                for item, score in shown
            ),
            default=math.inf,
        )

    def _by_words(self, score: float, path: str, chunk: int) -> float:
        if self._learned is not None:
            score /= self._learned.factor_of(path)
        return score if self._meaning is None else score / self._meaning.factor_of(chunk)

    def hit_evidence(self, paths: Iterable[str]) -> HitEvidence:
        """The evidence of files of hits, unless words alone have ranked them."""
        return (self._learned and self._learned.hit_evidence(paths)) or UNKNOWN

    def reasons(self, ranked: RankedChunk) -> tuple[ScoreReason, ...]:
        """The parts of a chunk's score: what each term adds, and the factors."""
        look = next((look for look in reversed(self.looks) if look.has(ranked.chunk)), None)
        if look is None:
            return ()
        chunk_scores, files = look
        at = int(np.searchsorted(chunk_scores.chunks, ranked.chunk))
        found: list[ScoreReason] = []
        for number, item in enumerate(self._statistics.words):
            found += [
                ScoreReason(field, item.word.term, weight)
                for field, part in chunk_scores.parts(number, at).items()
                if (weight := round(part, _REASON_DIGITS))
            ]
        file = bisect_right(chunk_scores.edges, at) - 1
        sign = chunk_scores.signs[file]
        named = bool(files.declares[at])
        factors = {
            "declared": 1 + self._weights.declared * named,
            "coverage": self._paths.coverage(sign),
            "together": 1 + files.shares[file],
            "area": self._paths.area(ranked.path),
            "prior": 1.0 if named else self._paths.prior(sign, is_alone=file in chunk_scores.alone),
            "meaning": 1.0 if self._meaning is None else self._meaning.factor_of(ranked.chunk),
            "learned": 1.0 if self._learned is None else self._learned.factor_of(ranked.path),
            "past": 1.0 if self._past is None else self._past.factor_of(ranked.path),
            "meant": ranked.factor,
            "further": ranked.further,
            "imports": ranked.imports,
        }
        return (
            *sorted(found, key=lambda reason: (-reason.weight, reason.term, reason.field)),
            *(
                ScoreReason(name, "", round(factor, _REASON_DIGITS))
                for name, factor in factors.items()
                if factor != 1
            ),
        )


def _learned(query: Query, weights: Weights, meaning: QueryMeaning | None) -> LearnedOrder | None:
    """The learned order, where it was learned for such queries."""
    is_light = meaning is None or meaning.is_light
    is_short = len(query.words) < FEWEST_WORDS
    if not (weights.learned and is_light) or is_short or query.written_name is not None:
        return None
    from repo_mcp.search.ranked.learned_order import LearnedOrder  # noqa: PLC0415 names need none

    return LearnedOrder(weights)


def _is_declared(statistics: QueryStatistics) -> bool:
    """True if anything declares the name made of the whole query."""
    name = statistics.query.name
    return bool(name) and any(
        SYMBOL in item.fields and normalize_name(item.word.term) == name
        for item in statistics.words
    )


class _Look(NamedTuple):
    """The scores of chunks, and the passages of their files."""

    scores: ChunkScores
    found: RankedFiles

    def has(self, chunk: int) -> bool:
        """True if a chunk was scored."""
        at = int(np.searchsorted(self.scores.chunks, chunk))
        return at < len(self.scores.chunks) and int(self.scores.chunks[at]) == chunk


def best_of_files(ranked: Iterable[RankedChunk]) -> Iterator[RankedChunk]:
    """The first chunk of each file."""
    seen = set[str]()
    for item in ranked:
        if item.path not in seen:
            seen.add(item.path)
            yield item


def in_order(passages: Iterable[Passage]) -> Iterator[Passage]:
    """The passages by descending score, rounded, then by path and chunk."""
    return round_scores(sorted(passages, key=itemgetter(0), reverse=True))


def round_scores(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Passages by descending score with rounded ones, equal ones by path and chunk.

    Only the scores of those that are asked for are rounded, which costs more than sorting.
    """
    equal: list[Passage] = []
    for score, path, chunk in passages:
        rounded = round(score, SCORE_DIGITS)
        if equal and rounded != equal[0][0]:
            yield from sorted(equal)
            equal.clear()
        equal.append((rounded, path, chunk))
    yield from sorted(equal)
