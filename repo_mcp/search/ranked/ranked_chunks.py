"""Ranks chunks for a query by their text, their file and their path.

A candidate chunk gets the score of its text. It is raised for further matching chunks of the file,
for the query's coverage by the file and the path, and lowered for kinds of files that are rarely
wanted. The order does not depend on the segments of the index.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph.facts import normalize_name
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.model import ScoreReason
from repo_mcp.question.query import FEWEST_WORDS, Query
from repo_mcp.search.ranked.candidates import CandidateChunks
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.confidence import UNKNOWN, HitEvidence, is_confident
from repo_mcp.search.ranked.file_passages import PathWeights, RankedFiles
from repo_mcp.search.ranked.passage_table import (
    BEST_FUNCTION,
    FURTHER,
    LEARNED,
    MEANING,
    OTHERS,
    FileRescorer,
    PassageTable,
)
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
# reasons are rounded, and so is their product
_NEARLY: Final = 0.005
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
    # the part of the score that is due to words; 0 for a chunk that they have not found
    by_words: float = 1.0
    # the line of the declaration that the query names, if any
    head: int = 0
    # what the score was multiplied by since the chunk was ranked, by reason
    factors: tuple[tuple[str, float], ...] = ()

    @property
    def order(self) -> tuple[float, str, int]:
        """A key by which better ones come first."""
        return -self.score, self.path, self.first

    def multiply(self, reason: str, factor: float) -> RankedChunk:
        """The same with another score."""
        factors = dict(self.factors)
        factors[reason] = factors.get(reason, 1.0) * factor
        return self._replace(score=self.score * factor, factors=tuple(factors.items()))

    def with_lines(self, first: int, last: int) -> RankedChunk:
        """Other lines of this chunk's file, without a score."""
        return RankedChunk(self.path, self.chunk, first, last, 0.0, self.by_words)

    def at_declaration(self, first: int, last: int, further: float) -> RankedChunk:
        """A further declaration of this chunk."""
        return self._replace(first=first, last=last, head=0).multiply(FURTHER, further)

    @property
    def is_further(self) -> bool:
        """True for a further declaration of a chunk."""
        return any(reason == FURTHER for reason, _ in self.factors)


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
        functions: FileRescorer | None = None,
    ) -> None:
        """Chunks are re-scored by the query's meaning and the best functions, if given.

        The past is evidence of the learned order.
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
        self._functions = functions
        self._paths = PathWeights(statistics.query, weights)
        # ranked results, the latest last
        self.looks: list[RankedLook] = []

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
        look = RankedLook(scores, scores.rank(self._paths))
        self.looks.append(look)
        self._weigh(look, allowed, is_chosen=chosen is not None)
        table = look.found.passages
        by_words = _shares_of_words(table)
        ranked = table.best_first()
        near = None if chosen is not None or any(look.found.declares) else self.near
        for row, path, chunk, score in ranked if near is None else near.nearer_first(ranked):
            first, last = table.unfound.get(chunk) or self._snapshot.lines_of(chunk)
            yield RankedChunk(path, chunk, first, last, score, by_words[row])

    def _weigh(self, look: RankedLook, allowed: Mask | None, *, is_chosen: bool) -> None:
        """Add the evidence beside words to passages; a declared name has none."""
        table, is_named = look.found.passages, any(look.found.declares)
        if self._meaning is not None and not is_named:
            self._meaning.rescore(table)
        near = None if is_chosen or is_named else self._given_near
        if near is not None:
            self.near = near
            near.add_unfound(table, allowed)
        if not len(table):
            return
        if self._learned is not None and not (is_chosen or is_named):
            self._learned.rescore(table, self.evidence(look), self._paths)
        if self._statistics.query.files:
            from repo_mcp.search.ranked.named_files import raise_named  # noqa: PLC0415 reports alone

            raise_named(table, self._statistics.query.files)
        if self._functions is not None and not (is_chosen or is_named):
            self._functions.rescore(table)

    @property
    def is_learned(self) -> bool:
        """True if the order of files was learned; what the query names, words alone order."""
        return self._learned is not None and not any(self.looks[-1].found.declares)

    def evidence(self, look: RankedLook) -> FileEvidence:
        """The evidence for the files of a result."""
        from repo_mcp.search.ranked.file_evidence import BesideWords, file_evidence  # noqa: PLC0415 names need none

        table = look.found.passages
        cosines = None if self._meaning is None else self._meaning.of_files(table)
        nearest = None if self.near is None else self.near.of_files()
        past = None if self._past is None else self._past.shares(table, self._paths)
        of_words = look.scores, table, look.found.shares, self._statistics
        beside = BesideWords(cosines, nearest, past)
        return file_evidence(self._snapshot, *of_words, self._paths, beside)

    def is_confident(self, shown: Iterable[tuple[RankedChunk, float]]) -> bool:
        """True if the hits that are shown, with their scores, are an answer."""
        hits = list(shown)
        evidence = self.hit_evidence(item.path for item, _ in hits)
        best, chunks = best_by_words(hits), self._snapshot.chunk_count
        return is_confident(self._statistics, best, chunks, evidence)

    def hit_evidence(self, paths: Iterable[str]) -> HitEvidence:
        """The evidence of files of hits, unless words alone have ranked them."""
        return (self._learned and self._learned.hit_evidence(paths)) or UNKNOWN

    def reasons(self, ranked: RankedChunk) -> tuple[ScoreReason, ...]:
        """The parts of a chunk's score: what each term adds, and the factors.

        Their product is the score: what the other chunks of the file add is a factor, too.
        """
        look = next((look for look in reversed(self.looks) if look.has(ranked.chunk)), None)
        if look is None:
            return ()
        chunk_scores, files = look.scores, look.found
        row = files.passages.row_of(ranked.chunk)
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
            **({} if row is None else files.passages.factors_of(row)),
            **dict(ranked.factors),
        }
        product = math.fsum(reason.weight for reason in found) * math.prod(factors.values())
        if product and not math.isclose(ranked.score, product, rel_tol=_NEARLY):
            factors[OTHERS] = ranked.score / product
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


class RankedLook(NamedTuple):
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


def best_by_words(shown: Iterable[tuple[RankedChunk, float]]) -> float:
    """The best score of hits without the factors for meaning and for the learned order."""
    return max((score * item.by_words for item, score in shown), default=math.inf)


def _shares_of_words(table: PassageTable) -> list[float]:
    """By row, the factor that takes the evidence beside words out of its score."""
    shares = np.ones(len(table))
    for name in (MEANING, LEARNED, BEST_FUNCTION):
        if name in table.factors:
            shares /= table.factors[name]
    for chunk in table.unfound:
        shares[table.chunks == chunk] = 0.0
    return shares.tolist()
