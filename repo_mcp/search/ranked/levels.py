"""Ranked passages as files, functions or lines: one ranking, seen from nearer or from farther.

A file stands where its best passage does, and a passage's line is the one with most of the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from repo_mcp.answers.lines import FILE, LINE
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.narrowing import Passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.current_passages import CurrentPassage, PassageHits
from repo_mcp.search.ranked.functions import FunctionHits
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker, RankedChunk, best_of_files
from repo_mcp.text.cutting import cut

if TYPE_CHECKING:
    from repo_mcp.search.ranked.function_order import FunctionOrder

_LONGEST_LINE: Final = 300


def hits_of_level(
    level: str,
    files: CurrentFiles,
    matcher: TermMatcher,
    ranker: ChunkRanker,
    functions: FunctionOrder | None,
) -> PassageHits:
    """The hits of a level; `ranker` tells what orders `functions`, once it has ranked."""
    if level == FILE:
        return FileHits()
    if level == LINE or functions is None:
        return LineHits(matcher)
    return FunctionHits(functions, files, ranker)


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


def _telling_line(passage: Passage, matcher: TermMatcher) -> Passage:
    """The line of a passage with most of the query."""
    rows = passage.snippet.split("\n")
    marks = matcher.marker.marks(rows)
    best = max(marks, key=lambda at: (matcher.worth[marks[at]], -at), default=0)
    line = passage.start + best
    terms = matcher.marker.terms_of(marks.get(best, 0))
    return Passage(line, line, terms, passage.symbol, cut(rows[best], _LONGEST_LINE))
