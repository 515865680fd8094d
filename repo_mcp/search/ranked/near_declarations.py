"""Declarations whose code is near to a question's meaning: a second list beside that of words.

A question may have no word of the code that answers it, and then words find other code. The
vectors of declarations that are stored for finding similar ones find more (decision 0209). Files
of code that words have found are ordered by both; documents keep their places, since they have no
declarations. And some places of a list are left to the files, or functions, that are nearest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.paths.path_kinds import DATA, DOCS, TESTS
from index_format import SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.search.ranked.file_passages import Passage
from repo_mcp.search.ranked.path_signals import path_signals
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.search.similar.rows import Place, SymbolRows
from repo_mcp.vectors.embedder import I8

if TYPE_CHECKING:
    from repo_mcp.search.ranked.candidates import Mask

# declarations that are compared: those with the nearest signs, and the nearest of them
_BY_BITS: Final = 300
_MOST: Final = 120
# what a test has to be nearer by than other code
_TESTS: Final = 0.04
# the places among passages that are left to near files, counted from 0; and those where words have
# not enough of the question to answer it
_PLACES: Final = (7, 9)
_PLACES_UNSURE: Final = (1, 3, 5, 7, 9)
# the place by words of a file that they have not found: behind the last one by this factor
_UNFOUND: Final = 0.7
_TINY: Final = 1e-9
# files whose passages are compared
_FILES: Final = 12
_WITHOUT_DECLARATIONS: Final = frozenset({DOCS, DATA})

_Near = tuple[float, Place]


class NearDeclaration(NamedTuple):
    """A declaration, the chunk in which it begins, and its cosine with the question."""

    path: str
    chunk: int
    first: int
    last: int
    cosine: float


class NearDeclarations:
    """The declarations near to one question, nearest first."""

    def __init__(self, snapshot: Snapshot, rows: SymbolRows, vector: I8, weights: Weights) -> None:
        """Compare the question."""
        self._snapshot = snapshot
        self._weight, self._inside = weights.near, weights.near_inside
        found = rows.nearest(snapshot, vector, _MOST, _BY_BITS)
        near = [(cosine - _penalty(place.path), place) for cosine, place in found]
        near.sort(key=lambda item: (-item[0], item[1].path, item[1].row))
        self._near = near
        self._least = near[-1][0] if near else 0.0
        self._spans: dict[str, list[_Near]] = {}
        for item in near:
            self._spans.setdefault(item[1].path, []).append(item)
        self._factors: dict[str, float] = {}
        # by chunk, the lines of the near declaration that it is shown for
        self._shown: dict[int, tuple[int, int]] = {}
        self._by_words: dict[str, float] = {}
        self._allowed: Mask | None = None
        self._is_sure = True

    def rescore(
        self, passages: Sequence[Passage], allowed: Mask | None, *, is_sure: bool = True
    ) -> list[Passage]:
        """The passages in their new order, with those of near files among them.

        There are more of them where nobody `is_sure` that words answer.
        """
        self._is_sure = is_sure
        best: dict[str, float] = {}
        for score, path, _ in passages:
            best.setdefault(path, score)
        self._by_words, self._allowed = best, allowed
        self._factors = self._permuted(best)
        passages = self._nearer_first(passages)
        ordered = sorted(
            ((score * self._factors[path], path, chunk) for score, path, chunk in passages),
            key=lambda item: (-round(item[0], SCORE_DIGITS), item[1], item[2]),
        )
        return self._with_near(ordered)

    def _nearer_first(self, passages: Sequence[Passage]) -> list[Passage]:
        """The passages of each file in the order of both lists; scores keep their places."""
        held: dict[str, list[tuple[float, int]]] = {}
        for score, path, chunk in passages:
            held.setdefault(path, []).append((score, chunk))
        several = [path for path in list(held)[:_FILES] if len(held[path]) > 1]
        chunks = {
            path: iter(self._inside_of(held[path], self._spans[path]))
            for path in several
            if path in self._spans
        }
        return [
            (score, path, next(chunks[path]) if path in chunks else chunk)
            for score, path, chunk in passages
        ]

    def _inside_of(self, own: Sequence[tuple[float, int]], near: Sequence[_Near]) -> list[int]:
        """The chunks of a file by their scores and the nearest declaration that begins in each."""
        found = []
        for score, chunk in own:
            first, last = self._snapshot.lines_of(chunk)
            there = (cosine for cosine, at in near if first <= at.first <= last)
            found.append(
                (-math.log(max(score, _TINY)) - self._inside * next(there, self._least), chunk)
            )
        return [chunk for _, chunk in sorted(found)]

    def _permuted(self, best: Mapping[str, float]) -> dict[str, float]:
        """By path, the factor that gives files of code the places they have by both lists."""
        code = [path for path in best if _has_declarations(path)]
        scores = [best[path] for path in code]
        nearest = {path: own[0][0] for path, own in self._spans.items()}
        ordered = sorted(
            code, key=lambda path: -self._worth(nearest.get(path, self._least), best[path])
        )
        placed = dict(zip(ordered, scores, strict=True))
        return {path: placed.get(path, score) / (score or 1.0) for path, score in best.items()}

    def _worth(self, cosine: float, score: float) -> float:
        return math.log(max(score, _TINY)) + self._weight * cosine

    def _with_near(self, ordered: list[Passage]) -> list[Passage]:
        """The passages with near files at their places, if they are not before them anyway."""
        found = list(ordered)
        waiting = self._placed(own[0] for own in self._spans.values())
        for at in _PLACES if self._is_sure else _PLACES_UNSURE:
            ahead = {path for _, path, _ in found[:at]}
            item = next((item for item in waiting if item.path not in ahead), None)
            if item is None:
                break
            before = found[min(at, len(found)) - 1][0] if found else 1.0
            behind = found[at][0] if at < len(found) else before * _UNFOUND
            self._shown[item.chunk] = item.first, item.last
            found = [passage for passage in found if passage[2] != item.chunk]
            score = round((before + behind) / 2, SCORE_DIGITS)
            found.insert(at, (score, item.path, item.chunk))
        return found

    def functions(self) -> Iterator[NearDeclaration]:
        """The declarations by how near they are and by the scores that their files have."""
        least = _UNFOUND * min(self._by_words.values(), default=1.0)
        return self._placed(
            sorted(
                self._near,
                key=lambda item: -self._worth(item[0], self._by_words.get(item[1].path, least)),
            )
        )

    def _placed(self, near: Iterable[_Near]) -> Iterator[NearDeclaration]:
        """The declarations in chunks that the query allows."""
        for cosine, place in near:
            chunk = self._chunk_of(place)
            if self._allowed is None or self._allowed[chunk]:
                yield NearDeclaration(place.path, chunk, place.first, place.last, cosine)

    def _chunk_of(self, place: Place) -> int:
        """The chunk in which a declaration begins."""
        reader = place.segment.reader
        begin, end = reader.files.bounds[place.file : place.file + 2].tolist()
        firsts = reader.chunks.lines_between(begin, end)[:, 0]
        behind = int(np.searchsorted(firsts, place.first, side="right"))
        return place.segment.base + int(begin) + max(behind - 1, 0)

    def lines_of(self, chunk: int) -> tuple[int, int] | None:
        """The lines that a chunk is shown for where words have not placed it."""
        return self._shown.get(chunk)

    def factor_of(self, path: str, chunk: int) -> float:
        """The factor of a passage's score; 0 for one that words have not placed."""
        return 0.0 if chunk in self._shown else self._factors.get(path, 1.0)


def _penalty(path: str) -> float:
    return _TESTS if TESTS in path_signals(path).kinds else 0.0


def _has_declarations(path: str) -> bool:
    kinds: Collection[str] = path_signals(path).kinds
    return _WITHOUT_DECLARATIONS.isdisjoint(kinds)
