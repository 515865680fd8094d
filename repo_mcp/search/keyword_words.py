"""Asks segments which files may hold a text in any letter case, one segment after the other."""

from __future__ import annotations

import threading
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from index_format.segment_reader import SegmentReader
from index_format.terms import TermEntry
from repo_mcp.search.dictionary import SegmentWords
from repo_mcp.search.dictionary_long import Read
from repo_mcp.search.expression_needles import clauses
from repo_mcp.search.expression_tree import literal
from repo_mcp.search.keyword_shelf import KeywordShelf
from repo_mcp.search.needles import Clause, Needle

I64 = npt.NDArray[np.int64]

# searches of a segment after which its dictionary is kept in memory
PATIENCE: Final = 2
# with more terms than these, reading the files is as quick as looking them all up
_MOST_TERMS: Final = 20_000
# the one ASCII letter that stands for another one, folded, whose small form is not ASCII
FOLDED_BEYOND_ASCII: Final = "s"


def required(word: str) -> tuple[Clause, ...]:
    """What the words of a line must be for it to hold this text, whatever the letter case."""
    return clauses(literal(word, folded=True), left=False, right=False)


class KeywordWords(SegmentWords):
    """The words of one segment; its dictionary is kept in memory once it was asked some times."""

    def __init__(self, reader: SegmentReader, field: int, patience: int, read: Read) -> None:
        """Read nothing yet."""
        super().__init__(reader, field, patience, read)
        self._bounds = reader.files.bounds
        self._shelf: KeywordShelf | None = None

    def files(self, wanted: tuple[Clause, ...]) -> I64 | None:
        """Numbers of the files with chunks that may hold a line with all; None for any file."""
        chunks = self.holding(wanted)
        return None if chunks is None else self.owners(chunks)

    def holding(self, wanted: tuple[Clause, ...]) -> I64 | None:
        """The chunks that may hold such a line; None for any chunk."""
        found: I64 | None = None
        for clause in wanted:
            held = self._of_clause(clause)
            if held is not None:
                found = held if found is None else np.intersect1d(found, held, assume_unique=True)
                if not len(found):
                    break
        return found

    def owners(self, chunks: I64) -> I64:
        """The files of these chunks, each once."""
        return np.unique(np.searchsorted(self._bounds, chunks, side="right") - 1)

    def _of_clause(self, clause: Clause) -> I64 | None:
        """The chunks with all needles of any branch."""
        found: I64 | None = None
        for branch in clause:
            held: I64 | None = None
            for needle in branch:
                chunks = self.chunks(needle, _MOST_TERMS)
                if chunks is not None:
                    held = chunks if held is None else np.intersect1d(held, chunks)
            if held is None:
                return None
            found = held if found is None else np.union1d(found, held)
        return found

    def _entries(self, needle: Needle, most: int) -> list[TermEntry] | None:
        """Terms with the needle in them."""
        shelf = self._kept() if needle.text.isascii() else None
        if shelf is None:
            return super()._entries(needle, most)
        found = shelf.entries(needle, most, self._count)
        if found is None or not (needle.folded and FOLDED_BEYOND_ASCII in needle.text):
            return found
        more = self._of_foreign(needle, most)
        return None if more is None else found + more

    def _kept(self) -> KeywordShelf | None:
        """The dictionary in memory, once it pays."""
        with self._lock:
            if self._shelf is None and self._patience <= 0:
                self._shelf = KeywordShelf(self._field.terms)
            return self._shelf


class KeywordDictionaries:
    """The words of all open segments; what was made for one is kept as long as it is open."""

    def __init__(self, read: Read, patience: int = PATIENCE) -> None:
        """Read files by this, as they are now."""
        self._read = read
        self._patience = patience
        self._known: WeakKeyDictionary[SegmentReader, KeywordWords] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of(self, reader: SegmentReader, field: int) -> KeywordWords:
        """The words of one segment, asked once more."""
        with self._lock:
            known = self._known.get(reader)
            if known is None:
                patience = self._patience + len(self._known)  # so that they don't all begin at once
                known = self._known[reader] = KeywordWords(reader, field, patience, self._read)
        known.begin()
        return known
