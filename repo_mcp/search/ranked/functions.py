"""Functions as hits: those of the best files in one order, then those of further files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice

from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.ranked.current_passages import CurrentPassage, PassageHits
from repo_mcp.search.ranked.function_order import FILES, FunctionOrder
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker, RankedChunk, best_of_files


class FunctionHits(PassageHits):
    """The functions of ranked files."""

    is_alone = True

    def __init__(self, functions: FunctionOrder, files: CurrentFiles, ranker: ChunkRanker) -> None:
        """`ranker` tells what orders them, once it has ranked."""
        self._functions = functions
        self._files = files
        self._ranker = ranker

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The functions, best first; of a changed file the passage, until it is indexed again."""
        files = best_of_files(passages)
        score = math.inf
        for function in chain.from_iterable(self._batches(files)):
            score = min(score, function.score)
            yield function._replace(score=score)

    def _batches(self, files: Iterator[RankedChunk]) -> Iterator[list[RankedChunk]]:
        files = chain([*islice(files, 1)], files)  # a ranker knows how it ranks once it has begun
        paths, functions = self._functions.first
        yield functions
        others = (file for file in files if file.path not in paths)
        while batch := [*islice(others, FILES)]:
            ranker = self._ranker
            yield self._functions.order(batch, ranker.near, is_learned=ranker.is_learned)

    def shown(self, item: RankedChunk, found: CurrentPassage) -> CurrentPassage:
        """The passage with the name of the function that it is of."""
        places = self._files.declarations_between(item.path, item.chunk, item.first, item.last)
        span = item.first, item.last
        names = (at.qualified for at in places if (at.start_line, at.end_line) == span)
        symbol = next(names, found.passage.symbol)
        return found._replace(passage=found.passage._replace(symbol=symbol))
