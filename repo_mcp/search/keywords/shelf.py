"""All terms of a dictionary in memory, so that those that hold a text are found in no time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format.codec.terms import Page, TermDictionary, TermEntry
from repo_mcp.search.dictionary.needles import Edge, Needle
from repo_mcp.search.keywords.blocks import Blocks

I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]

# pages of a dictionary that are read at once
_PAGES_AT_ONCE: Final = 256
_LINE_FEED: Final = b"\n"
_BEYOND_ASCII: Final = 0x80
# a small letter beyond ASCII that stands for an ASCII letter, as terms have it, and that letter
_LONG_S: Final = "\u017f".encode()
LONG_S_FOLDED: Final = "s"


class KeywordShelf:
    """The terms, one a line, and what the dictionary says of each."""

    def __init__(self, dictionary: TermDictionary) -> None:
        """Read all of it."""
        texts: list[bytes] = [b""]
        lengths: list[I64] = []
        columns: list[U32] = [np.zeros((5, 0), np.uint32)]
        for page in _pages(dictionary):
            texts += page.terms
            lengths.append(np.fromiter(map(len, page.terms), np.int64, len(page.terms)))
            columns.append(_columns(page))
        texts.append(b"")
        self._lines = _LINE_FEED.join(texts)
        # whether terms may be meant by ASCII letters that they don't hold
        self.is_uneven = _LONG_S in self._lines
        self._blocks = Blocks(self._lines)
        sizes = np.concatenate([np.zeros(0, np.int64), *lengths]) + 1
        # where each begins, after the line feed that stands before it
        self._starts: U32 = (np.cumsum(sizes) - sizes + 1).astype(np.uint32)
        self._columns = np.hstack(columns)

    def entries(self, needle: Needle, most: int, most_chunks: int) -> list[TermEntry] | None:
        """What the dictionary says of the terms that hold a needle.

        None when these are more than so many, or in more than so many chunks all told.
        """
        text = needle.text.encode()
        before = _LINE_FEED if needle.left == Edge.CLOSED else b""
        after = _LINE_FEED if needle.right == Edge.CLOSED else b""
        places = self._blocks.places(before + text + after, most)
        if places is None:
            return None
        begins = np.array(places, dtype=np.int64) + len(before)
        begins = self._fitting(begins, len(text), needle)
        numbers = np.unique(np.searchsorted(self._starts, begins, side="right") - 1)
        if int(self._columns[0, numbers].sum(dtype=np.int64)) > most_chunks:
            return None
        rows: list[list[int]] = self._columns[:, numbers].T.tolist()
        return [
            TermEntry(chunks, occurrences, block, (tail, length), (0, 0))
            for chunks, occurrences, block, tail, length in rows
        ]

    def _fitting(self, begins: I64, size: int, needle: Needle) -> I64:
        """The places beside which stands what may."""
        if needle.left == Edge.SOFT:
            begins = begins[[self._is_soft(at - 1) for at in begins.tolist()]]
        if needle.right == Edge.SOFT:
            begins = begins[[self._is_soft(at + size) for at in begins.tolist()]]
        return begins

    def _is_soft(self, at: int) -> bool:
        """Whether a term ends there, or a character beyond ASCII stands there."""
        return self._lines[at] == _LINE_FEED[0] or self._lines[at] >= _BEYOND_ASCII


def _pages(dictionary: TermDictionary) -> Iterator[Page]:
    count = dictionary.page_count
    for first in range(0, count, _PAGES_AT_ONCE):
        yield dictionary.span(first, min(first + _PAGES_AT_ONCE, count))


def _columns(page: Page) -> U32:
    """Chunks, occurrences, first block, tail and its length of each term."""
    found: U32 = np.vstack(
        [
            page.chunks,
            page.occurrences,
            page.starts[4] + page.blocks[:-1],
            page.starts[2] + page.tails[:-1],
            np.diff(page.tails),
        ]
    ).astype(np.uint32)
    return found
