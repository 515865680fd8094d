"""Whoosh's view of one term: its statistics and a matcher that walks its postings.

Blocks and their bounds are those of Whoosh's own codec, so Whoosh skips the same blocks.
"""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

from bisect import bisect_left
from collections.abc import Iterator

from whoosh.formats import Format
from whoosh.matching import LeafMatcher, ReadTooFar
from whoosh.reading import TermInfo
from whoosh.scoring import BaseScorer
from whoosh.system import pack_uint

from index_format.layout import BLOCK
from index_format.query.live_postings import TermBlocks


class BlockMatcher(LeafMatcher):
    """Walks a term's postings; blocks are decoded on demand."""

    def __init__(
        self,
        term: tuple[str, bytes],
        blocks: TermBlocks,
        format_: Format,
        scorer: BaseScorer | None = None,
    ) -> None:
        """Start at the first posting."""
        self._term = term
        self._blocks = blocks
        self.format = format_
        self.scorer = scorer
        self._has_positions = format_.supports("positions")
        self._block = self._i = self._size = 0
        self._ids: list[int] | None = None
        self._weights: list[float] | None = None
        self.reset()

    def reset(self) -> None:
        """Go back to the first posting."""
        self._goto(0)

    def copy(self) -> BlockMatcher:
        """A matcher at the same posting."""
        twin = BlockMatcher(self._term, self._blocks, self.format, self.scorer)
        twin.__dict__.update(self.__dict__)
        return twin

    def is_active(self) -> bool:
        """True if there is a posting here."""
        return self._i < self._size

    def id(self) -> int:
        """The document's number."""
        ids = self._ids
        if ids is None:
            ids = self._load()
        return ids[self._i]

    def weight(self) -> float:
        """The number of the term's occurrences in the document."""
        weights = self._weights
        if weights is None:
            weights = self._blocks.block(self._block)[1].astype(float).tolist()
            self._weights = weights
        return weights[self._i]

    def next(self) -> bool:
        """Go to the next posting; returns whether it is in another block."""
        self._i += 1
        if self._i < self._size:
            return False
        self._next_block()
        return True

    def skip_to(self, target: int) -> None:
        """Go to the first posting from here on whose number is not below `target`."""
        if self._i >= self._size:
            raise ReadTooFar
        if target <= self.id():
            return
        if target > self._blocks.last[self._block]:
            block = bisect_left(self._blocks.last, target, self._block + 1)
            if block == len(self._blocks.last):
                self._finish()
                return
            self._goto(block)
        self._i = bisect_left(self._ids or self._load(), target, self._i)

    def skip_to_quality(self, minquality: float) -> int:
        """Skip blocks that can't score more than this; returns how many."""
        skipped = 0
        while self.is_active() and self.block_quality() <= minquality:
            self._next_block()
            skipped += 1
        return skipped

    def all_ids(self) -> Iterator[int]:
        """Numbers of all documents from here on."""
        start = self._i
        for number in range(self._block, len(self._blocks.last) if self.is_active() else 0):
            yield from self._blocks.block(number)[0].tolist()[start:]
            start = 0

    def block_min_id(self) -> int:
        """First number in the block."""
        return int(self._blocks.block(self._block)[0][0])

    def block_max_id(self) -> int:
        """Last number in the block."""
        return self._blocks.last[self._block]

    def block_min_length(self) -> int:
        """Length of the shortest field in the block."""
        return self._blocks.shortest[self._block]

    def block_max_length(self) -> int:
        """Length of the longest field in the block."""
        return self._blocks.longest(self._block)

    def block_max_weight(self) -> float:
        """Highest weight in the block."""
        return self._blocks.most[self._block]

    def value(self) -> bytes:
        """The posting as Whoosh would store it."""
        if self._has_positions:
            encoded: bytes = self.format.encode(self.value_as("positions"))
            return encoded
        packed: bytes = pack_uint(int(self.weight()))
        return packed

    def value_as(self, astype: str) -> object:
        """The posting as positions, frequency or another form of the format."""
        if astype == "positions" and self._has_positions:
            return self._blocks.positions(self._block, self._i)
        return self.format.decoder(astype)(self.value())

    def _goto(self, block: int) -> None:
        self._block = block
        self._i = 0
        self._size = min(self._blocks.count - block * BLOCK, BLOCK)
        self._ids = self._weights = None

    def _load(self) -> list[int]:
        ids: list[int] = self._blocks.block(self._block)[0].tolist()
        self._ids = ids
        return ids

    def _next_block(self) -> None:
        if not self._size:
            raise ReadTooFar
        if self._block + 1 < len(self._blocks.last):
            self._goto(self._block + 1)
        else:
            self._finish()

    def _finish(self) -> None:
        # the last block still answers for its quality: Whoosh's unions ask for it
        self._block, self._size = len(self._blocks.last) - 1, 0


class LiveTermInfo(TermInfo):
    """A term's statistics; those that need decoding are computed on demand."""

    def __init__(self, blocks: TermBlocks) -> None:
        """Use the block metadata."""
        super().__init__(
            weight=float(blocks.occurrences),
            df=blocks.count,
            minlength=min(blocks.shortest),
            maxweight=max(blocks.most),
            maxid=blocks.last[-1],
        )
        self._blocks = blocks

    def max_length(self) -> int:
        """Length of the longest field that holds the term."""
        return max(map(self._blocks.longest, range(len(self._blocks.last))))

    def min_id(self) -> int:
        """First document that holds the term."""
        return int(self._blocks.block(0)[0][0])
