"""The best chunks that may show the phrases of a query, in batches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from index_format import Snapshot
from index_format.analysis.content import fingerprint
from repo_mcp.budget import Budget
from repo_mcp.safety.sandbox import LineScan, Sandbox
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.ranked.ranked_chunks import SEEDS, ChunkRanker, RankedChunk
from repo_mcp.text.files import Rows

if TYPE_CHECKING:
    from repo_mcp.search.filter.conditions import ChunkSelection

_READ_AT_ONCE: Final = 40


class PhraseBatches:
    """Chunks that may show phrases, best first, of the files as they are now."""

    def __init__(
        self,
        sandbox: Sandbox,
        snapshot: Snapshot,
        files: CurrentFiles,
        ranker: ChunkRanker,
        selection: ChunkSelection,
    ) -> None:
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._files = files
        self._ranker = ranker
        self._selection = selection
        # true if phrases were not verified in all candidate files
        self.has_left_out = False

    def ranked(self, budget: Budget) -> Iterator[RankedChunk]:
        """The chunks, until no further ones are found; those of a batch score no more than before.

        Each batch is ranked by itself, and the order must not depend on how many are asked for.
        """
        least = math.inf
        for item in self._in_batches(budget):
            least = min(least, item.score)
            yield item if item.score == least else item._replace(score=least)

    def _in_batches(self, budget: Budget) -> Iterator[RankedChunk]:
        tried, before = list[int](), -1
        batch = self._first_batch()
        while len(tried) > before:
            before = len(tried)
            while few := list(islice(batch, _READ_AT_ONCE)):
                if len(tried) >= SEEDS or (tried and budget.spent):
                    self.has_left_out = True
                    return
                budget.check()
                tried += [ranked.chunk for ranked in few]
                yield from self._showing_phrases(few)
            batch = self._ranker.best(self._selection.mask_without(tried))

    def _first_batch(self) -> Iterator[RankedChunk]:
        """The best chunks that may show the phrases; all of them, if they are few."""
        selection = self._selection
        if not selection.demanded or len(selection.showing) > SEEDS:
            return self._ranker.best(selection.mask_without([]))
        showing = selection.showing
        return self._ranker.best(chosen=showing, most=len(showing)) if len(showing) else iter(())

    def _showing_phrases(self, ranked: Sequence[RankedChunk]) -> Iterator[RankedChunk]:
        """The chunks whose own lines hold a phrase that their files must hold, or may do so."""
        if not self._selection.demanded:
            yield from ranked
            return
        contents = self._sandbox.scan([item.path for item in ranked], LineScan())
        for item, content in zip(ranked, contents, strict=True):
            data = content if isinstance(content, bytes) else self._files.read(item.path)
            if data is None:
                yield item
                continue
            rows = Rows(data)
            is_there = self._selection.has_demanded(rows, item.first, item.last)
            if is_there or self._snapshot.fingerprint_of(item.chunk) != fingerprint(data):
                self._files.keep(item.path, data, rows)
                yield item
