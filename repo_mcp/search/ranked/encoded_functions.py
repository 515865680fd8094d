"""Functions near to a question by a sentence encoder, beside those that words find.

A function's score is e^s times the best one, where s is the logarithm of its share of the best
score plus a weight times how near it is. What words have not found has the least share; what is not
encoded is as near as others are on average (decision 0041).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING, Final

from code_graph.query.model import FUNCTIONS
from index_format import SCORE_DIGITS, Snapshot
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.question.query import FEWEST_ASKED, Query
from repo_mcp.search.ranked.current_passages import CurrentPassage, PassageHits
from repo_mcp.search.ranked.declarations import declarations_of
from repo_mcp.search.ranked.near_declarations import chunk_of
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from repo_mcp.search.similar.encoded_rows import EncodedIndexes, EncodedSnapshots, Nearness
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.function_encoder import FunctionEncoder, open_function_encoder

if TYPE_CHECKING:
    from repo_mcp.search.ranked.candidates import Mask

# the factor of a score that is due to the encoder, in explanations
ENCODED: Final = "encoded"
# what a deviation is worth, and the logarithm of the share of what words have not found
_WEIGHT: Final = 0.2
_LEAST: Final = -2.0
# hits that are ordered anew, and the nearest functions that may be among them
_JOINED: Final = 100
_TINY: Final = 1e-9

_Span = tuple[str, int, int]


class EncodedFunctions:
    """The functions of indexes, as an encoder compares them with questions."""

    def __init__(self, encoder: str, indexes: EncodedIndexes, vector_width: int) -> None:
        """Open nothing yet. The indexes' own vectors have signs of this width."""
        self._chosen = encoder
        self._indexes = indexes
        self._width = vector_width
        # why the encoder can't be used, once that was tried
        self._failure: Problem | None = None

    @classmethod
    def of(cls, settings: Settings, indexes: EncodedIndexes) -> EncodedFunctions | None:
        """The functions of these indexes by the settings' encoder; None where they lack vectors."""
        embedder = choose_embedder(settings.embedding_model)
        if embedder is None:
            return None
        return cls(settings.function_encoder, indexes, embedder.width)

    def joined(
        self, hits: PassageHits, snapshot: Snapshot, query: Query, allowed: Mask | None
    ) -> PassageHits:
        """These functions with those near to a question; the same for names, few words and changes.

        Nothing is near by an encoder that can't be used, which `warnings` tell.
        """
        is_name = len(query.text.split()) < FEWEST_ASKED or query.written_name is not None
        # a question in Chinese is one word
        is_left = query.is_change or (is_name and query.text.isascii())
        if is_left or snapshot.prefetches_terms or self._failure is not None:
            return hits
        try:
            encoded = self._snapshots.of(snapshot)
            if not len(encoded):
                return hits
            near = Nearness(encoded, self._encoder.question(query.text))
        except Problem as problem:
            self._failure = Problem(problem.code, problem.detail)
            return hits
        return _JoinedFunctions(hits, near, snapshot, allowed)

    def warnings(self) -> Iterator[AnswerWarning]:
        """Why questions are not compared, if the encoder can't be used."""
        if self._failure is not None:
            text = f"code is found without the encoder of functions: {self._failure.reason}"
            yield AnswerWarning("encoder", f"{text} ({self._failure.hint})")

    @cached_property
    def _encoder(self) -> FunctionEncoder:
        return open_function_encoder(self._chosen)

    @cached_property
    def _snapshots(self) -> EncodedSnapshots:
        return EncodedSnapshots(self._indexes, self._encoder.identity, self._width)


class _JoinedFunctions(PassageHits):
    """Functions that ranked search has found, with those near to one question."""

    def __init__(
        self,
        hits: PassageHits,
        near: Nearness,
        snapshot: Snapshot,
        allowed: Mask | None,
    ) -> None:
        self._hits = hits
        self._near = near
        self._snapshot = snapshot
        self._allowed = allowed
        self.is_alone = hits.is_alone

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The first hits and the nearest functions by both kinds of evidence, then the others."""
        others = self._hits.ranked(passages)
        first = [*islice(others, _JOINED)]
        top = max((item.score for item in first), default=1.0) or 1.0
        near = self._nearness(first)
        usual = fmean(near.values()) if near else 0.0
        worths = [
            (
                max(math.log(max(item.score / top, _TINY)), _LEAST)
                + _WEIGHT * near.get(_span(item), usual),
                item,
            )
            for item in first
        ]
        worths += [(_LEAST + _WEIGHT * far, item) for far, item in self._unfound(first)]
        best = max((worth for worth, _ in worths), default=0.0)
        joined = [_scored(item, top * math.exp(worth - best)) for worth, item in worths]
        yield from sorted(joined, key=lambda item: item.order)
        least = min((item.score for item in joined), default=math.inf)
        for item in others:
            yield item._replace(score=min(item.score, least))

    def shown(self, item: RankedChunk, found: CurrentPassage) -> CurrentPassage:
        """A passage as a hit."""
        return self._hits.shown(item, found)

    def _nearest(self) -> Iterator[tuple[float, RankedChunk]]:
        """The nearest functions that are allowed."""
        for nearness, number in self._near.nearest[:_JOINED]:
            place = self._near.compared.place(number)
            chunk = chunk_of(place)
            if self._allowed is None or self._allowed[chunk]:
                lines = RankedChunk(place.path, chunk, place.first, place.last, 0.0)
                yield nearness, lines._replace(by_words=0.0)

    def _nearness(self, first: Sequence[RankedChunk]) -> Mapping[_Span, float]:
        of_file = self._near.compared.of_file
        numbers = {
            _span(item): number
            for item in first
            if (number := of_file(item.path).get((item.first, item.last))) is not None
        }
        return dict(zip(numbers, self._near.of([*numbers.values()]), strict=True))

    def _unfound(self, first: Sequence[RankedChunk]) -> Iterator[tuple[float, RankedChunk]]:
        known = {*map(_span, first)}
        declared: dict[str, Collection[tuple[int, int]]] = {}
        for nearness, item in self._nearest():
            if item.path not in declared:
                declared[item.path] = self._functions(item.chunk)
            if _span(item) not in known and (item.first, item.last) in declared[item.path]:
                yield nearness, item

    def _functions(self, chunk: int) -> set[tuple[int, int]]:
        """The lines of the functions of a chunk's file."""
        every = declarations_of(self._snapshot, chunk)
        return {(item.start_line, item.end_line) for item in every if item.kind in FUNCTIONS}


def _scored(item: RankedChunk, score: float) -> RankedChunk:
    """A hit with another score, which is explained."""
    if item.score:
        item = item.multiply(ENCODED, score / item.score)
    return item._replace(score=round(score, SCORE_DIGITS))


def _span(item: RankedChunk) -> _Span:
    return item.path, item.first, item.last
