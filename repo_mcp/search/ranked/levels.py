"""Ranked passages as files, functions or lines: one ranking, seen from nearer or from farther.

A file stands where its best passage does. The functions of a file share its score by what of the
query they have, in their lines and names; a passage's line is the one with most of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from code_graph.facts import Declaration
from code_graph.query.model import FUNCTIONS
from index_format import SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import FILE, LINE
from repo_mcp.budget import Budget
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.narrowing import Passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.current_passages import CurrentPassage, PassageHits
from repo_mcp.search.ranked.declarations import declarations_of
from repo_mcp.search.ranked.ranked_chunks import RankedChunk, best_of_files
from repo_mcp.text.cutting import cut

if TYPE_CHECKING:
    from repo_mcp.search.ranked.near_declarations import NearDeclarations
    from repo_mcp.search.ranked.ranked_chunks import ChunkRanker

_MACRO: Final = "macro"
_KINDS: Final = FUNCTIONS | {"test", _MACRO, "getter", "setter"}
# what each further function of a file is worth beside the one before
_FURTHER: Final = 0.85
# a function of so many lines counts half
_LONG: Final = 300
_LONGEST_LINE: Final = 300


class ScoredFunction(NamedTuple):
    """A function, and what of the query it has."""

    worth: float
    declaration: Declaration


def hits_of_level(
    level: str,
    snapshot: Snapshot,
    files: CurrentFiles,
    matcher: TermMatcher,
    budget: Budget,
    ranker: ChunkRanker | None = None,
) -> PassageHits:
    """The hits of a level; `ranker` knows declarations near to a question, once it has ranked."""
    if level == FILE:
        return FileHits()
    if level == LINE:
        return LineHits(matcher)
    return FunctionHits(snapshot, files, matcher, budget, ranker)


class FileHits(PassageHits):
    """Files, each by its best passage."""

    is_alone = True

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The best passage of each file."""
        return best_of_files(passages)


class LineHits(PassageHits):
    """Lines, one of each passage."""

    def __init__(self, matcher: TermMatcher) -> None:
        self._matcher = matcher

    def shown(self, _item: RankedChunk, found: CurrentPassage) -> CurrentPassage:
        """The line with most of the query."""
        return found._replace(passage=_telling_line(found.passage, self._matcher))


class FunctionHits(PassageHits):
    """The functions of ranked files."""

    is_alone = True

    def __init__(
        self,
        snapshot: Snapshot,
        files: CurrentFiles,
        matcher: TermMatcher,
        budget: Budget,
        ranker: ChunkRanker | None = None,
    ) -> None:
        self._ranker = ranker
        self._snapshot = snapshot
        self._files = files
        self._matcher = matcher
        self._budget = budget

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The functions, best first; of a changed file the passage, until it is indexed again.

        Those that are near to a question are every second one, if there are any.
        """
        found = self._by_words(passages)
        first = [*islice(found, 1)]  # what is near is known once there is one
        near = None if self._ranker is None else self._ranker.near
        every = chain(first, found)
        return every if near is None else self._with_near(every, near)

    def _with_near(
        self, found: Iterator[RankedChunk], near: NearDeclarations
    ) -> Iterator[RankedChunk]:
        """The functions by words and those near to the question in turns, each once."""
        seen = set[tuple[str, int, int]]()
        waiting, score = self._near(near), 1.0

        def unseen(items: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
            for item in items:
                if (item.path, item.first, item.last) not in seen:
                    seen.add((item.path, item.first, item.last))
                    yield item

        others = unseen(waiting)
        for item in unseen(found):
            score = item.score
            yield item
            yield from (other._replace(score=score) for other in islice(others, 1))
        yield from (other._replace(score=score) for other in others)

    def _near(self, near: NearDeclarations) -> Iterator[RankedChunk]:
        """The functions among the near declarations."""
        declared: dict[str, set[tuple[int, int]]] = {}
        for item in near.functions():
            if item.path not in declared:
                every = self._declared(item.chunk)
                declared[item.path] = {(one.start_line, one.end_line) for one in every}
            if (item.first, item.last) in declared[item.path]:
                yield RankedChunk(item.path, item.chunk, item.first, item.last, 0.0)

    def _by_words(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        queue: list[tuple[tuple[float, str, int], RankedChunk]] = []
        for best in best_of_files(passages):
            while queue and queue[0][0][0] <= -best.score:
                yield heappop(queue)[1]
            self._budget.check()
            for item in self._of_file(best):
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

    def _of_file(self, best: RankedChunk) -> Iterator[RankedChunk]:
        file = self._files.get(best.path)
        if file is None or self._snapshot.fingerprint_of(best.chunk) != file.fingerprint:
            yield best
            return
        scored = self._scored(best.chunk, file.rows.between(1, file.rows.count))
        score, first = best.score, 0.0
        for worth, item in scored:
            first = first or worth
            span = item.start_line, item.end_line
            shown = round(score * worth / first, SCORE_DIGITS)
            yield RankedChunk(best.path, best.chunk, *span, shown)
            score *= _FURTHER

    def _scored(self, chunk: int, rows: Sequence[str]) -> list[ScoredFunction]:
        """The functions with words of the query, best first."""
        declared = self._declared(chunk)
        owners = _owners(declared, rows)
        held: dict[int, int] = {}
        for line, mark in self._matcher.marker.marks(rows).items():
            owner = owners[line]
            if owner >= 0:
                held[owner] = held.get(owner, 0) | mark
        marker, worth = self._matcher.marker, self._matcher.worth
        named = marker.marks([item.name for item in declared])
        found = [
            ScoredFunction(
                (worth[mark] + worth[named.get(at, 0)])
                / (1 + (declared[at].end_line - declared[at].start_line) / _LONG),
                declared[at],
            )
            for at, mark in held.items()
        ]
        told = (item for item in found if item.worth > 0)
        return sorted(told, key=lambda item: (-item.worth, item.declaration.start_line))

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


def _telling_line(passage: Passage, matcher: TermMatcher) -> Passage:
    """The line of a passage with most of the query."""
    rows = passage.snippet.split("\n")
    marks = matcher.marker.marks(rows)
    best = max(marks, key=lambda at: (matcher.worth[marks[at]], -at), default=0)
    line = passage.start + best
    terms = matcher.marker.terms_of(marks.get(best, 0))
    return Passage(line, line, terms, passage.symbol, cut(rows[best], _LONGEST_LINE))
