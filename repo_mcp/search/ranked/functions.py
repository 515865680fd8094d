"""Functions as hits: those of the best files, by what each has of a query and how near it is.

Where declarations are compared with the question, functions have an order of their own, learned
from questions whose function is known; else those of a file share its score by the words they have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, islice
from typing import Final

import numpy as np

from code_graph.facts import Declaration
from code_graph.query.model import FUNCTIONS
from index_format import SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.current_passages import CurrentPassage, PassageHits
from repo_mcp.search.ranked.declarations import declarations_of
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker, RankedChunk, best_of_files
from repo_mcp.search.ranked.trees import read_trees

LEARNED_FUNCTIONS: Final = "learned_functions.json"
# files whose functions have one order
FILES: Final = 10
_MACRO: Final = "macro"
_KINDS: Final = FUNCTIONS | {"test", _MACRO, "getter", "setter"}
# what each further function of a file is worth beside the one before
_FURTHER: Final = 0.85
# a function of so many lines counts half
_LONG: Final = 300
_DIGITS: Final = 6
_TINY: Final = 1e-9

Cosines = Mapping[tuple[int, int], float]


class FunctionEvidence(NamedTuple):
    """The numbers that functions are ordered by, in the order of the trees' columns."""

    # log of the file's score, relative to the best file's
    file: float
    # shares of the query's weight: in the function's lines, and in its name
    held: float
    named: float
    # how many functions of the file have more of the query
    place: float
    # cosine with the question, relative to the nearest declaration of all; missing if it is far
    nearest: float


class ScoredFunction(NamedTuple):
    """A function, what of the query it has, its share of the file's score, and its evidence."""

    item: RankedChunk
    share: float
    evidence: FunctionEvidence


class FunctionHits(PassageHits):
    """The functions of ranked files."""

    is_alone = True

    def __init__(
        self,
        snapshot: Snapshot,
        files: CurrentFiles,
        matcher: TermMatcher,
        budget: Budget,
        ranker: ChunkRanker,
    ) -> None:
        self._ranker = ranker
        self._snapshot = snapshot
        self._files = files
        self._matcher = matcher
        self._budget = budget

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The functions, best first; of a changed file the passage, until it is indexed again."""
        files = best_of_files(passages)
        first = [*islice(files, 1)]  # what is near is known once there is one
        files = chain(first, files)
        if self._ranker.near is None:
            yield from self._by_files(files)
            return
        score = math.inf
        for item in self.learned([*islice(files, FILES)]):
            score = item.score
            yield item
        for item in self._by_files(files):
            yield item._replace(score=min(score, item.score))

    def learned(self, files: Sequence[RankedChunk]) -> list[RankedChunk]:
        """The functions of these files in the learned order."""
        found = self.candidates(files)
        if not found:
            return []
        trees = read_trees(LEARNED_FUNCTIONS)
        rows = np.array([item.evidence for item in found], dtype=np.float64)
        sums = np.round(trees.sums(rows), _DIGITS)
        worths = np.exp((sums - sums.max()) / trees.slope) * files[0].score
        scored = [
            item.item._replace(score=round(worth, SCORE_DIGITS))
            for item, worth in zip(found, worths.tolist(), strict=True)
        ]
        return sorted(scored, key=lambda item: item.order)

    def candidates(self, files: Sequence[RankedChunk]) -> list[ScoredFunction]:
        """The functions of these files, and their evidence."""
        top = files[0].score if files else 1.0
        near = self._ranker.near
        most = 0.0 if near is None else max(near.of_files().values(), default=0.0)
        found: list[ScoredFunction] = []
        for best in files:
            self._budget.check()
            cosines = {} if near is None else near.of_file(best.path)
            found += self._of_file(best, math.log(max(best.score / top, _TINY)), cosines, most)
        return found

    def _by_files(self, files: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The functions with words of the query by the scores of their files."""
        queue: list[tuple[tuple[float, str, int], RankedChunk]] = []
        for best in files:
            while queue and queue[0][0][0] <= -best.score:
                yield heappop(queue)[1]
            self._budget.check()
            for found in self._of_file(best, 0.0, {}, 0.0):
                score = round(best.score * found.share, SCORE_DIGITS)
                item = found.item._replace(score=score)
                heappush(queue, (item.order, item))
        while queue:
            yield heappop(queue)[1]

    def shown(self, item: RankedChunk, found: CurrentPassage) -> CurrentPassage:
        """The passage with the name of the function that it is of."""
        places = self._files.declarations_between(item.path, item.chunk, item.first, item.last)
        span = item.first, item.last
        names = (at.qualified for at in places if (at.start_line, at.end_line) == span)
        symbol = next(names, found.passage.symbol)
        return found._replace(passage=found.passage._replace(symbol=symbol))

    def _of_file(
        self, best: RankedChunk, score: float, cosines: Cosines, most: float
    ) -> Iterator[ScoredFunction]:
        """The functions with words of the query or near to it, those with most words first."""
        file = self._files.get(best.path)
        if file is None or self._snapshot.fingerprint_of(best.chunk) != file.fingerprint:
            yield ScoredFunction(best, 1.0, FunctionEvidence(score, 0.0, 0.0, 0.0, math.nan))
            return
        declared = self._declared(best.chunk)
        rows = file.rows.between(1, file.rows.count)
        shares = self._shares(declared, rows)
        found: list[tuple[float, float, Declaration, float, float]] = []
        for item, (held, named) in zip(declared, shares, strict=True):
            cosine = cosines.get((item.start_line, item.end_line), math.nan)
            if held + named > 0 or not math.isnan(cosine):
                worth = (held + named) / (1 + (item.end_line - item.start_line) / _LONG)
                found.append((worth, cosine - most, item, held, named))
        found.sort(key=lambda row: (-row[0], row[2].start_line))
        first = found[0][0] if found else 1.0
        for place, (worth, cosine, item, held, named) in enumerate(found):
            ranked = best.with_lines(item.start_line, item.end_line)
            share = worth / (first or 1.0) * _FURTHER**place
            evidence = FunctionEvidence(score, held, named, float(place), cosine)
            yield ScoredFunction(ranked, share, evidence)

    def _shares(
        self, declared: Sequence[Declaration], rows: Sequence[str]
    ) -> Iterator[tuple[float, float]]:
        """For each function, the shares of the query's weight in its lines and in its name."""
        owners = _owners(declared, rows)
        marker, worth = self._matcher.marker, self._matcher.words_worth
        total = worth[(1 << len(self._matcher.weights)) - 1] or 1.0
        held: dict[int, int] = {}
        for line, mark in marker.marks(rows).items():
            owner = owners[line]
            if owner >= 0:
                held[owner] = held.get(owner, 0) | mark
        named = marker.marks([item.name for item in declared])
        for at in range(len(declared)):
            own = worth[held.get(at, 0)], worth[named.get(at, 0)]
            yield own[0] / total, own[1] / total

    def _declared(self, chunk: int) -> list[Declaration]:
        every = declarations_of(self._snapshot, chunk)
        return [item for item in every if item.kind in _KINDS and not _is_value(item)]


def _is_value(item: Declaration) -> bool:
    """True for a macro that has no body: a number, or a mark that a header was read."""
    return item.kind == _MACRO and not item.parameters and item.start_line == item.end_line


def _owners(declared: Sequence[Declaration], rows: Sequence[str]) -> list[int]:
    """By line, the number of the innermost function; -1 outside of all."""
    owners = [-1] * len(rows)
    longest = sorted(
        range(len(declared)), key=lambda at: declared[at].start_line - declared[at].end_line
    )
    for at in longest:
        first, last = declared[at].start_line - 1, min(declared[at].end_line, len(rows))
        owners[first:last] = [at] * max(last - first, 0)
    return owners
