"""Declarations whose code is near to a question's meaning: evidence beside that of words.

A question may have no word of the code that answers it, and then words find other code. The
vectors of declarations tell which code is near (decision 0039): the nearest of all find files that
words have not found, and those of a file order it and its passages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.paths.path_kinds import TESTS
from index_format import Snapshot
from repo_mcp.search.ranked.passage_table import PassageTable
from repo_mcp.search.ranked.path_signals import path_signals
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.search.similar.rows import RowPlace, SymbolRows
from repo_mcp.vectors.embedder import I8

if TYPE_CHECKING:
    from repo_mcp.search.ranked.candidates import Mask
    from repo_mcp.search.ranked.passage_table import RankedRow

# declarations that are compared: those with the nearest signs, and the nearest of them
_BY_BITS: Final = 150
_MOST: Final = 60
# and those of files that words have found
_OF_FILES: Final = 200
# what a test has to be nearer by than other code
_TESTS: Final = 0.04
_TINY: Final = 1e-9

_Near = tuple[float, RowPlace]


class NearDeclarations:
    """The declarations near to one question, nearest first."""

    def __init__(self, snapshot: Snapshot, rows: SymbolRows, vector: I8, weights: Weights) -> None:
        """Compare the question."""
        self._snapshot = snapshot
        self._rows, self._vector = rows, vector
        self._inside = weights.near
        self._near = rows.nearest(snapshot, vector, _MOST, _BY_BITS)
        self._spans: dict[str, list[_Near]] = {}

    def add_unfound(self, table: PassageTable, allowed: Mask | None) -> None:
        """Add one passage of each near file that words have not found, behind all others."""
        found = table.chunk_of_files()
        own = self._rows.of_files(self._snapshot, self._vector, found.values(), _OF_FILES)
        every = {item[1][:2]: item for item in (*own, *self._near)}
        self._spans = _by_file(_in_order(every.values()))
        unfound = (own[0][1] for path, own in self._spans.items() if path not in found)
        places = {(at.path, chunk_of(at)): (at.first, at.last) for at in unfound}
        table.append_unfound(
            {at: lines for at, lines in places.items() if allowed is None or allowed[at[1]]}
        )

    def of_files(self) -> dict[str, float]:
        """By path, how near its nearest declaration is, of all files that are compared."""
        return {path: own[0][0] for path, own in self._spans.items()}

    def nearer_first(self, ranked: Iterable[RankedRow]) -> Iterator[RankedRow]:
        """The passages with those of each file by score and nearness; scores keep their places."""
        every = [*ranked]
        of_files: dict[str, list[tuple[float, int]]] = {}
        for _, path, chunk, score in every:
            of_files.setdefault(path, []).append((score, chunk))
        ordered: dict[str, Iterator[int]] = {}
        for row, path, chunk, score in every:
            # files behind the last hit that is shown are not compared
            if path not in ordered:
                ordered[path] = iter(self._order_in_file(path, of_files[path]))
            yield row, path, next(ordered[path], chunk), score

    def _order_in_file(self, path: str, own: Sequence[tuple[float, int]]) -> list[int]:
        """The chunks of a file by their scores and the nearest declaration that begins in each."""
        near = self._spans.get(path, ())
        if not near or len(own) == 1:
            return [chunk for _, chunk in own]
        ranks = []
        least = near[-1][0]
        for score, chunk in own:
            first, last = self._snapshot.lines_of(chunk)
            there = (cosine for cosine, at in near if first <= at.first <= last)
            ranks.append((-math.log(max(score, _TINY)) - self._inside * next(there, least), chunk))
        return [chunk for _, chunk in sorted(ranks)]

    def of_file(self, path: str) -> dict[tuple[int, int], float]:
        """By their lines, how near the declarations of a file are."""
        return {(at.first, at.last): cosine for cosine, at in self._spans.get(path, ())}


def chunk_of(place: RowPlace) -> int:
    """The chunk in which a declaration begins."""
    reader = place.segment.reader
    begin, end = reader.files.bounds[place.file : place.file + 2].tolist()
    firsts = reader.chunks.lines_between(begin, end)[:, 0]
    behind = int(np.searchsorted(firsts, place.first, side="right"))
    return place.segment.base + int(begin) + max(behind - 1, 0)


def _in_order(near: Iterable[_Near]) -> list[_Near]:
    """Nearest first; tests have to be nearer."""
    found = [(cosine - _penalty(place.path), place) for cosine, place in near]
    return sorted(found, key=lambda item: (-item[0], item[1].path, item[1].row))


def _by_file(near: Iterable[_Near]) -> dict[str, list[_Near]]:
    found: dict[str, list[_Near]] = {}
    for item in near:
        found.setdefault(item[1].path, []).append(item)
    return found


def _penalty(path: str) -> float:
    return _TESTS if TESTS in path_signals(path).kinds else 0.0
